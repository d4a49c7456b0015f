/**
 * Does work on many things, so many at once. Takes them one by one, so that a list of a hundred thousand
 * costs no more memory than what is under way: p-limit holds a closure and a promise for each from the beginning
 * (100,000 took 110 MB more), and goes on after an error. After an error nothing new is begun; what was, is awaited.
 */
export async function forEachLimit<T>(things: Iterable<T>, size: number, work: (thing: T) => Promise<void>): Promise<void> {
  const queue = things[Symbol.iterator]();
  let failed: { readonly error: unknown } | undefined;
  const hand = async () => {
    for (let next = queue.next(); !next.done && failed === undefined; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: size }, hand));
  if (failed !== undefined) throw failed.error;
}
