import type sqlite from 'node:sqlite';

// Node 22 prints an experimental warning when the module is first loaded; newer versions do not.
const { emitWarning } = process;
process.emitWarning = () => undefined;
const loaded = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

/** Node's built-in SQLite. */
export const { backup, DatabaseSync } = loaded;
export type DatabaseSync = sqlite.DatabaseSync;
export type StatementSync = sqlite.StatementSync;
export type SQLInputValue = sqlite.SQLInputValue;
