import type { Output, ProcessIO } from './process-io.ts';

const COLORS = { red: 31, yellow: 33 } as const;

export type Color = keyof typeof COLORS;

/** Whether text on a stream may have colors. */
export function hasColor(stream: Output, env: ProcessIO['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'];
}

/** Returns a bold text in a color. */
export function painted(color: Color, text: string): string {
  return `\u001b[1;${COLORS[color]}m${text}\u001b[0m`;
}
