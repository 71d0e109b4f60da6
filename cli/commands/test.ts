import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '../../lib/json';
import { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { type Session, serverUrl } from '../session';
import { paint } from '../terminal';
import type { Effects } from '../testing/document';
import { junitOf } from '../testing/junit';
import { runCase } from '../testing/run-case';
import { TEST_FILE_SCHEMA } from '../testing/schema';
import { TestServer } from '../testing/server';
import { updateFiles, type UpdatedResult } from '../testing/update-files';
import { findTestFiles, readTestFile, type TestCase, type TestFile } from '../testing/test-file';
import { textAt } from '../workflows';
import type { World } from '../world';

const AT_ONCE = 4;
const MAX_TYPES = 10_000;
const SECRET = /\bsecrets?\.([A-Za-z_]\w*)/g;

/** Runs the cases of test files against a server of its own, or one that runs. */
export const test = command({
  name: 'test',
  summary: 'Runs tests of workflow files, on a temporary server of its own',
  args: [{ name: 'PATH', optional: true, many: true }],
  options: {
    filter: { type: 'string', value: 'TEXT', help: 'only cases whose name contains the text' },
    update: { type: 'boolean', help: 'writes what runs did into the expectations of cases that fail' },
    'update-in-ci': { type: 'boolean', help: 'allows --update where CI=true' },
    junit: { type: 'string', value: 'FILE', help: 'writes the results as JUnit XML, too' },
    server: { type: 'string', value: 'URL', help: 'a running server instead, the one of the profile' },
    schema: { type: 'boolean', help: 'prints the JSON Schema of test files, and runs nothing' },
  },
  notes: [
    'A PATH is a file *.test.json or *.test.yaml, or a folder of them; the current folder unless given.',
    'Exits with 1 when a case fails. No step reaches outside unless a case has allow_network; writes never do.',
  ],
  async run({ session, args, options }) {
    const { world } = session;
    if (options.schema) {
      world.out.json(TEST_FILE_SCHEMA);
      return 'ok';
    }
    assertMayUpdate(world.env, options);
    const began = performance.now();
    const paths = findTestFiles(args.length === 0 ? ['.'] : args, world.cwd);
    const files = paths.map((path) => ({ ...readTestFile(path), path: relative(world.cwd, path) || path }));
    const cases = files.flatMap((file) =>
      file.cases.filter(({ name }) => name.includes(options.filter ?? '')).map((each) => ({ file, given: each })),
    );
    if (cases.length === 0) throw new CliError('not_found', `no case has "${options.filter ?? ''}" in its name`);
    const place = options.server === undefined ? await ownPlace(session) : runningPlace(session, options.server);
    try {
      const effects = await effectsOf(await place.clientOf(null));
      const ran = await inOrder(cases, AT_ONCE, async ({ file, given }) =>
        runCase(await place.clientOf({ file, given }), file, given, effects),
      );
      const written = options.update
        ? updateFiles(world.cwd, files, ran)
        : ran.map((result) => ({ ...result, changes: [] }));
      const results = written.map(({ seen: _, ...result }) => result);
      const failed = results.filter(({ faults }) => faults.length > 0).length;
      if (options.junit !== undefined) writeFileSync(options.junit, junitOf(results));
      session.answer(results, () => report(session, results, failed, performance.now() - began));
      return failed === 0 ? 'ok' : 'no';
    } finally {
      await place.close();
    }
  },
});

/** @throws CliError usage */
function assertMayUpdate({ CI }: World['env'], options: { update?: boolean; 'update-in-ci'?: boolean }): void {
  if (options.update !== true || CI !== 'true' || options['update-in-ci'] === true) return;
  throw new CliError('usage', '--update changes test files, and CI=true; run it by hand, or add --update-in-ci');
}

interface CaseRun {
  readonly file: TestFile;
  readonly given: TestCase;
}

/** Where cases run. */
interface Place {
  /** The client of a case; null: for what is the same for all. */
  clientOf(asked: CaseRun | null): Promise<Client>;
  close(): Promise<void>;
}

/** A tenant for each file, and for each case with variables of its own. */
async function ownPlace({ world }: Session): Promise<Place> {
  const server = await TestServer.start(world);
  const clients = new Map<string, Promise<Client>>();
  const make = async (asked: CaseRun | null): Promise<Client> => {
    const client = await server.tenant();
    if (asked === null) return client;
    const { file, given } = asked;
    for (const [name, value] of Object.entries(secretsOf(file)))
      await client.call('POST', '/api/v1/secrets', { name, value });
    for (const [name, value] of Object.entries(given.vars ?? {}))
      await client.call('PUT', `/api/v1/variables/${encodeURIComponent(name)}`, { value });
    return client;
  };
  return {
    clientOf(asked) {
      const key = asked === null ? '' : `${asked.file.path}:${asked.given.vars === undefined ? '' : asked.given.name}`;
      const known = clients.get(key) ?? make(asked);
      clients.set(key, known);
      return known;
    },
    close: () => server.stop(),
  };
}

/** The secrets that the workflow names, with the values of the file or made up. */
function secretsOf({ workflow, secrets }: TestFile): Record<string, string> {
  const named = [...JSON.stringify(workflow.dsl).matchAll(SECRET)].map(([, name = '']) => name);
  return { ...Object.fromEntries(named.map((name) => [name, `test-value-of-${name}`])), ...secrets };
}

/** A server that runs, as the signed-in user. Its variables and secrets are not touched. @throws CliError usage */
function runningPlace(session: Session, given: string): Place {
  const url = serverUrl(given);
  const { url: own, credential } = session.profile();
  if (own !== url)
    throw new CliError('usage', `--server ${url} is not the server of the profile, ${own}; log in to it`);
  const client = new Client(url, credential, session.world.signal);
  return {
    async clientOf(asked) {
      if (asked?.given.vars !== undefined)
        throw new CliError(
          'usage',
          `"${asked.given.name}" has vars, which would change those of ${url}; leave out --server`,
        );
      return client;
    },
    close: async () => {},
  };
}

async function effectsOf(client: Client): Promise<Effects> {
  const rows = await client.list('/api/v1/node-types', MAX_TYPES);
  return new Map(rows.map((row: JsonObject) => [textAt(row, 'type'), textAt(row, 'effect')]));
}

/** Results in the order of the items, of which so many are worked on at once. */
async function inOrder<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next; at < items.length; at = next) {
      next += 1;
      results[at] = await work(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}

function report({ world: { out } }: Session, results: readonly UpdatedResult[], failed: number, ms: number): void {
  let file = '';
  for (const each of results) {
    if (each.file !== file) out.line(paint('bold', each.file));
    ({ file } = each);
    const ok = each.faults.length === 0;
    out.line('  ', ok ? paint('green', '✓') : paint('red', '✗'), ` ${each.name} `, paint('dim', `(${each.ms} ms)`));
    for (const fault of each.faults) out.line('      ', fault);
    for (const change of each.changes) out.line('      ', paint('dim', 'updated '), change);
  }
  const total = `${results.length} ${results.length === 1 ? 'case' : 'cases'}`;
  const outcome = failed === 0 ? paint('green', 'all passed') : paint('red', `${failed} failed`);
  out.line(`${total}, `, outcome, ` (${(ms / 1_000).toFixed(1)} s)`);
}
