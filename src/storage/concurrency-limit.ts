import pLimit from 'p-limit';

/**
 * Runs `work` for each item, with at most `size` items in progress. After an error it begins no new item and waits
 * for those in progress. It takes an item when the one before has begun, so that memory depends only on `size`.
 */
export async function forEachLimit<T>(
  items: Iterable<T> | AsyncIterable<T>,
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(size);
  const errors: unknown[] = [];
  const running = new Set<Promise<void>>();
  const run = async (item: T, begin: () => void) => {
    begin();
    if (errors.length > 0) return;
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
  };
  try {
    for await (const item of items) {
      await new Promise<void>((begin) => {
        const one = limit(run, item, begin).finally(() => running.delete(one));
        running.add(one);
      });
      if (errors.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
}
