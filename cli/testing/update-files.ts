/** Writes what runs did into the files of tests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { dump } from 'js-yaml';
import type { Json } from '../../lib/json';
import { CliError } from '../exits';
import { withValue } from './json-edit';
import type { CaseResult } from './run-case';
import { readValue, type TestFile } from './test-file';
import { type Change, changesOf, expectationOf, lineOf } from './update';

/** `changes`: what the case expects from now on, in lines for people; such a case has no faults. */
export interface UpdatedResult extends CaseResult {
  readonly changes: readonly string[];
}

/** The results, after the expectations of cases that failed are written. Paths are relative to `cwd`. @throws CliError refused */
export function updateFiles(cwd: string, files: readonly TestFile[], results: readonly CaseResult[]): UpdatedResult[] {
  const changes = new Map<CaseResult, readonly Change[]>();
  for (const { path, cases } of files) {
    const made = results
      .filter(({ file, faults }) => file === path && faults.length > 0)
      .flatMap((result) => {
        const index = cases.findIndex(({ name }) => name === result.name);
        const found = result.seen === undefined ? [] : changesAt(index, cases[index]?.expect, result.seen);
        changes.set(result, found);
        return found;
      });
    if (made.length > 0) write(resolve(cwd, path), made);
  }
  return results.map((result) => {
    const made = changes.get(result) ?? [];
    if (made.length === 0) return { ...result, changes: [] };
    return { ...result, faults: [], changes: made.map((change) => lineOf(change, PREFIX_PARTS)) };
  });
}

/** `cases` and the number of a case, which people know by its name. */
const PREFIX_PARTS = 2;

const changesAt = (
  index: number,
  expected: TestFile['cases'][number]['expect'],
  seen: NonNullable<CaseResult['seen']>,
): Change[] => {
  const after = expectationOf(seen, expected) as Json;
  return changesOf(expected as Json | undefined, after, ['cases', index, 'expect']);
};

/** @throws CliError refused for a YAML file with comments */
function write(path: string, changes: readonly Change[]): void {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.json')) {
    writeFileSync(
      path,
      changes.reduce((changed, change) => withValue(changed, change.path, change.after), text),
    );
    return;
  }
  if (/^\s*#|\s#/m.test(text))
    throw new CliError(
      'refused',
      `${path} has comments, which --update would remove; change it by hand, or write JSON`,
    );
  const value = readValue(path);
  const changed = changes.reduce((all, change) => withValue(all, change.path, change.after), JSON.stringify(value));
  writeFileSync(path, dump(JSON.parse(changed), { lineWidth: 120, noRefs: true }));
}
