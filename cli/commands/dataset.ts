import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { command } from '../command';
import { datasetIdOf, datasetPath, listDatasets } from '../datasets';
import { CliError } from '../exits';
import { jsonLine } from '../terminal';
import { textAt } from '../workflows';

const DATASET = { name: 'ID|NAME' } as const;
const MAX_ROWS = 10_000;

/** Lists the data sets. */
export const list = command({
  name: 'dataset list',
  summary: 'Lists the data sets for evaluations',
  async run({ session }) {
    const rows = await listDatasets(session.client);
    session.answer(rows, () =>
      session.world.out.table(
        ['ID', 'ROWS', 'REVISION', 'CHANGED', 'NAME'],
        rows.map((row) => ['id', 'rows', 'revision', 'updated_at', 'name'].map((key) => textAt(row, key))),
      ),
    );
    return 'ok';
  },
});

/** Creates an empty data set. */
export const create = command({
  name: 'dataset create',
  summary: 'Creates an empty data set',
  args: [{ name: 'NAME' }],
  options: { description: { type: 'string', value: 'TEXT', help: 'what its rows are' } },
  async run({ args: [name = ''], options, session }) {
    const { description } = options;
    const asked = { name, ...(description === undefined ? {} : { description }) };
    const made = await session.client.call('POST', '/api/v1/datasets', asked);
    session.answer(made, () => session.world.out.line(textAt(made, 'id')));
    return 'ok';
  },
});

/** Adds the rows of a file. */
export const importRows = command({
  name: 'dataset import',
  summary: 'Adds the rows of a file to a data set: CSV with a header, a JSON list, or JSON lines',
  args: [DATASET, { name: 'FILE' }],
  options: {
    format: { type: 'string', value: 'FORMAT', help: 'csv, json or jsonl; else by the content' },
    columns: { type: 'string', value: 'JSON', help: 'names for columns of CSV: {"Question": "input.question"}' },
  },
  notes: ['FILE may be -, for standard input. A row whose id is there already replaces it.'],
  async run({ args: [which = '', file = ''], options, session }) {
    const { client, world } = session;
    const id = await datasetIdOf(client, which);
    const content = file === '-' ? await world.readAll() : readFile(resolve(world.cwd, file));
    const form = new FormData();
    if (options.format !== undefined) form.append('format', options.format);
    if (options.columns !== undefined) form.append('columns', options.columns);
    form.append('file', new Blob([content]), basename(file));
    const changed = await client.upload(`${datasetPath(id)}/rows/upload`, form);
    session.answer(changed, () => {
      const count = (key: string): string => `${textAt(changed, key)} ${key}`;
      world.out.line(`${count('added')}, ${count('replaced')}, ${count('unchanged')}; ${count('rows')} in all`);
    });
    return 'ok';
  },
});

function readFile(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(readFileSync(path));
  } catch (cause) {
    throw new CliError('refused', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Prints the rows as JSON lines, which `dataset import` takes. */
export const exportRows = command({
  name: 'dataset export',
  summary: 'Prints the rows of a data set as JSON lines',
  args: [DATASET],
  async run({ args: [which = ''], session }) {
    const { client, world } = session;
    const rows = await client.list(`${datasetPath(await datasetIdOf(client, which))}/rows`, MAX_ROWS);
    for (const row of rows) world.out.raw(`${jsonLine(row)}\n`);
    return 'ok';
  },
});
