import type { Output, ProcessIO } from './process-io.ts';

const COLORS = { red: 31, yellow: 33 } as const;

export type Color = keyof typeof COLORS;

/** Whether text on a stream may have colors. FORCE_COLOR comes before NO_COLOR, as in Node.js. An empty variable is ignored. */
export function hasColor(stream: Output, env: ProcessIO['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced) return !/^(0|false)$/i.test(forced);
  return isTerminal(stream, env) && !env['NO_COLOR'];
}

/** Whether a stream is a terminal that can move its cursor and show colors. */
export function isTerminal(stream: Output, env: ProcessIO['env']): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** Returns a bold text in a color. */
export function painted(color: Color, text: string): string {
  return `\u001b[1;${COLORS[color]}m${text}\u001b[0m`;
}
