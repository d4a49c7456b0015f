import { afterAll } from 'vitest';

// files run in one process: the variables that one sets must not be there for the next
const before = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
