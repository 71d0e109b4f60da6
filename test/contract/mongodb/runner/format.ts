import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EJSON, type Document } from 'bson';

/** Folder of the MongoDB drivers' specification tests and of answers recorded from MongoDB's own engine. */
export const CONFORMANCE =
  process.env.MONGO_CONFORMANCE ?? resolve(__dirname, '../../../../../shared/conformance/mongodb');

/** One `runOnRequirements` entry: all members must hold. */
export interface Requirement {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
  auth?: boolean;
}

/** Documents that a collection holds before, or must hold after, a test. */
export interface CollectionData {
  databaseName: string;
  collectionName: string;
  createOptions?: Document;
  documents: Document[];
}

export interface ExpectedError {
  isError?: boolean;
  isClientError?: boolean;
  errorContains?: string;
  errorCode?: number;
  errorCodeName?: string;
  errorResponse?: Document;
  expectResult?: unknown;
  writeErrors?: Record<string, Document>;
  writeConcernErrors?: Document[];
}

export interface Operation {
  name: string;
  /** Id of the entity to act on, or `testRunner`. */
  object: string;
  arguments?: Document;
  expectResult?: unknown;
  expectError?: ExpectedError;
  ignoreResultAndError?: boolean;
  saveResultAsEntity?: string;
}

/** The events that one client must have published, in order. */
export interface ExpectedEvents {
  client: string;
  eventType?: 'command' | 'cmap' | 'sdam';
  events: Record<string, Document>[];
  ignoreExtraEvents?: boolean;
}

export interface SpecTest {
  description: string;
  runOnRequirements?: Requirement[];
  operations: Operation[];
  expectEvents?: ExpectedEvents[];
  outcome?: CollectionData[];
}

/** A file of the unified test format (MongoDB specifications, unified-test-format, schema 1.x). */
export interface SpecFile {
  /** File name without its folder. */
  name: string;
  runOnRequirements?: Requirement[];
  createEntities?: Record<string, Document>[];
  initialData?: CollectionData[];
  tests: SpecTest[];
}

/** The files of an area, by whether the unified format describes them; older files hold driver-side tables only. */
export interface SpecArea {
  unified: SpecFile[];
  older: { name: string; tests: number }[];
}

export const conformanceIsHere = (): boolean => existsSync(join(CONFORMANCE, 'spec'));

/** Reads every JSON file of one folder under `spec/`. */
export function loadArea(area: string): SpecArea {
  const folder = join(CONFORMANCE, 'spec', area);
  const found: SpecArea = { unified: [], older: [] };
  for (const name of readdirSync(folder).sort()) {
    const content = EJSON.parse(readFileSync(join(folder, name), 'utf8')) as Omit<SpecFile, 'name'> & Document;
    if ('schemaVersion' in content) found.unified.push({ ...content, name });
    else found.older.push({ name, tests: content.tests.length });
  }
  return found;
}

/** Tests of an area, as `file | description`, that MongoDB's own engine was recorded to pass; none for an area without a record. */
export function recordedPasses(area: string): Set<string> {
  const record = join(CONFORMANCE, 'real-engine', `spec-${area}.txt`);
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
  return new Set(lines.flatMap((line) => /^pass (?:\w+\/)?(.*)$/.exec(line)?.[1] ?? []));
}
