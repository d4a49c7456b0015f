/** Works on several items at a time, and yields the results in the order of the items. */
export async function* inOrder<T, R>(items: Iterable<T>, width: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  try {
    for (const item of items) {
      const result = work(item);
      // it is awaited later, and may fail before that
      result.catch(() => {});
      running.push(result);
      const first = running.length < width ? undefined : running.shift();
      if (first !== undefined) yield await first;
    }
    for (let first = running.shift(); first !== undefined; first = running.shift()) yield await first;
  } finally {
    await Promise.allSettled(running);
  }
}
