import { beforeEach, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

// `npm test` runs one case of each property that needs processes: the first one of each table
beforeEach(({ task, skip }) => skip(isRepeat(task), 'npm test runs the first case; npm run test:all runs all'));

/** Whether a test, or a suite around it, is a later case of a table. */
function isRepeat(task: Readonly<RunnerTestCase | RunnerTestSuite>): boolean {
  const { each, location, suite, file } = task;
  const isCase = (other: typeof task) => other.each === true && other.location?.line === location?.line;
  const first = (suite ?? file).tasks.find(isCase);
  return (each === true && first !== task) || (suite !== undefined && isRepeat(suite));
}
