import { type Finished, palimpsestHere } from '../support/palimpsest.ts';

/** The output and the exit code of a command. */
export interface Ended extends Finished {
  /** The code of the error; undefined if the command reported no error. */
  readonly error: string | undefined;
}

/** Runs a command line in this process, with --json unless it writes to standard output itself. */
export async function command(args: readonly string[], input = ''): Promise<Ended> {
  const ended = await palimpsestHere([...args, '--json'], { input });
  return { ...ended, error: /^\{"error":\{"code":"([a-z-]+)"/m.exec(ended.stdout)?.[1] };
}
