import type { Document } from 'bson';
import type { Db, RunCommandCursor } from 'mongodb';

/**
 * A command cursor whose first command runs at creation, as the specification requires; the driver's own cursor waits
 * for the first read, so the document of this read is kept for the first iteration.
 */
export class CommandCursor {
  private constructor(
    private readonly cursor: RunCommandCursor,
    private first: Document | null,
  ) {}

  static async open(db: Db, args: Document): Promise<CommandCursor> {
    const cursor = commandCursor(db, args);
    return new CommandCursor(cursor, await cursor.tryNext());
  }

  /** At most one round trip: a document, or null when the batch came back empty. */
  async iterateOnce(): Promise<Document | null> {
    const kept = this.first;
    this.first = null;
    return kept ?? (await this.cursor.tryNext());
  }

  close(): Promise<void> {
    return this.cursor.close();
  }
}

/** The driver's cursor over a command, with the options that apply to its getMore commands. */
export function commandCursor(db: Db, { command, session, batchSize, maxTimeMS, comment }: Document): RunCommandCursor {
  const cursor = db.runCursorCommand(command, { session });
  if (batchSize !== undefined) cursor.setBatchSize(batchSize);
  if (maxTimeMS !== undefined) cursor.setMaxTimeMS(maxTimeMS);
  if (comment !== undefined) cursor.setComment(comment);
  return cursor;
}

type CursorOperation = (cursor: CommandCursor, args: Document) => unknown;

/** Operations on a cursor that an earlier operation opened. */
export const CURSOR_OPERATIONS: Record<string, CursorOperation> = {
  close: (cursor) => cursor.close(),
  iterateOnce: (cursor) => cursor.iterateOnce(),
  iterateUntilDocumentOrError: (cursor) => cursor.iterateOnce(),
};
