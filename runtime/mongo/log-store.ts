import { isDuplicateKey } from '../../lib/duplicate-key';
import type { LogBatch, LoggedLine, LogSize, LogStore } from '../ports/log-store';
import { type Collections, idRange } from './collections';
import { journalId, type LogDocument } from './documents';

/** Log lines in MongoDB. */
export const mongoLogStore = ({ logs }: Pick<Collections, 'logs'>): LogStore => ({
  async sizeOf(executionId) {
    const last = await logs
      .find({ _id: idRange(executionId) }, { projection: { text: 0 } })
      .sort({ _id: -1 })
      .limit(1)
      .next();
    return last === null ? { n: 0, lines: 0, chars: 0 } : sizeFrom(last);
  },

  async append({ executionId, size, lines }) {
    const { n, ...totals } = size;
    try {
      await logs.insertOne({ _id: journalId(executionId, n), ...totals, text: JSON.stringify(lines) });
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  },

  async after(executionId, lines) {
    const documents = await logs
      .find({ _id: idRange(executionId), lines: { $gt: lines } })
      .sort({ _id: 1 })
      .toArray();
    return documents.map(
      (document): LogBatch => ({
        executionId,
        size: sizeFrom(document),
        lines: JSON.parse(document.text) as LoggedLine[],
      }),
    );
  },
});

const sizeFrom = ({ _id, lines, chars }: Omit<LogDocument, 'text'>): LogSize => ({
  n: Number(_id.slice(_id.lastIndexOf(':') + 1)),
  lines,
  chars,
});
