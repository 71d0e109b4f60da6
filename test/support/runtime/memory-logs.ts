import type { LogBatch, LogStore } from '../../../runtime/ports/log-store';

/** Log lines in memory. */
export function memoryLogs(): LogStore & { readonly batches: LogBatch[] } {
  const batches: LogBatch[] = [];
  const of = (id: string): LogBatch[] => batches.filter(({ executionId }) => executionId === id);
  return {
    batches,
    sizeOf: async (id) => of(id).at(-1)?.size ?? { n: 0, lines: 0, chars: 0 },
    append: async (batch) => {
      if (of(batch.executionId).some(({ size }) => size.n === batch.size.n)) return false;
      batches.push(structuredClone(batch));
      return true;
    },
    after: async (id, lines) => of(id).filter(({ size }) => size.lines > lines),
  };
}
