/** The parts of a process that a command uses; tests replace them. */
export interface ProcessIO {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: { [name: string]: string | undefined };
  /** Whether Node.js suppresses deprecation warnings, which a user cannot act on. */
  noDeprecation?: boolean;
  readonly once: (signal: StopSignal, listener: () => void) => unknown;
  readonly removeAllListeners?: (signal: StopSignal) => unknown;
  readonly cwd?: () => string;
  readonly pid?: number;
  readonly kill?: (pid: number, signal: StopSignal) => unknown;
  /** Ends the process at once. */
  readonly exit?: (exitCode: number) => unknown;
}

/** The signals that stop a command: Ctrl-C, the request of a service manager, and the end of the terminal. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Output {
  readonly isTTY?: boolean;
  /** The width of the terminal in columns. A terminal that does not know its width reports 0. */
  readonly columns?: number;
  write(data: string | Uint8Array, done?: () => void): unknown;
  readonly on?: (event: 'error', listener: (error: Error) => void) => unknown;
}
