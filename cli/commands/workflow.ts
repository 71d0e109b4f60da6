import { join, resolve } from 'node:path';
import { mkdirSync } from 'node:fs';
import { isObject, type JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { differences } from '../compare';
import { CliError } from '../exits';
import type { Session } from '../session';
import { harmlessJson, paint } from '../terminal';
import {
  fileOf,
  readWorkflowFile,
  textOf,
  type WorkflowFile,
  WorkflowFolder,
  writeWorkflowFile,
} from '../workflow-file';
import { listWorkflows, objectsAt, textAt, workflowIdOf, workflowOfFile, workflowPath } from '../workflows';

const FILES = [{ name: 'FILE', many: true }] as const;

/** Lists workflows. */
export const list = command({
  name: 'workflow list',
  summary: 'Lists the workflows',
  async run({ session }) {
    const rows = await listWorkflows(session.client);
    session.answer(rows, () =>
      session.world.out.table(
        ['ID', 'NAME', 'STATUS', 'VERSION', 'UPDATED'],
        rows.map((row) => [
          textAt(row, 'id'),
          textAt(row, 'name'),
          row.enabled === false ? paint('yellow', 'disabled') : textAt(row, 'status'),
          textAt(row, 'version'),
          textAt(row, 'updated_at'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Pushes files. Stops at the first rejected one; earlier ones stay. */
export const push = command({
  name: 'workflow push',
  summary: 'Creates or updates workflows from files',
  args: FILES,
  notes: ['A file with an "id" is that workflow; one without is the one of its name, or a new one.'],
  async run({ args, session }) {
    const files = args.map((path) => [path, readWorkflowFile(resolve(session.world.cwd, path))] as const);
    const done: JsonObject[] = [];
    for (const [path, file] of files) {
      const workflow = await pushOne(session.client, file);
      done.push({ file: path, ...workflow });
      if (!session.json)
        session.world.out.line(`${textAt(workflow, 'id')}  ${textAt(workflow, 'name')}  ${textAt(workflow, 'action')}`);
    }
    if (session.json) session.world.out.json(done);
    return 'ok';
  },
});

async function pushOne(client: Client, file: WorkflowFile): Promise<JsonObject> {
  const { id: _id, ...content } = file;
  const known = await workflowOfFile(client, file);
  if (known !== null && changesOf(known, file).length === 0) return outcome(known, 'unchanged');
  if (known === null) return outcome(await client.call('POST', '/api/v1/workflows', content), 'created');
  return outcome(await client.call('PUT', workflowPath(String(known.id)), content), 'updated');
}

const outcome = ({ id, name, version }: JsonObject, action: string): JsonObject => ({
  id: id ?? null,
  name: name ?? null,
  version: version ?? null,
  action,
});

/** Compares a file with the server's workflow, in the fields of the file. */
const changesOf = (workflow: JsonObject, file: WorkflowFile) => {
  const { id: _server, ...there } = fileOf(workflow);
  const { id: _file, ...here } = file;
  const compared = Object.fromEntries(Object.entries(there).filter(([key]) => Object.hasOwn(here, key)));
  return differences(compared, here);
};

/** Writes workflows to files, or one to stdout. */
export const pull = command({
  name: 'workflow pull',
  summary: 'Writes workflows into files',
  args: [{ name: 'ID|NAME', optional: true, many: true }],
  options: {
    all: { type: 'boolean', help: 'all of the tenant' },
    dir: { type: 'string', value: 'DIR', help: 'the folder (.); a file that has the same "id" is replaced' },
    stdout: { type: 'boolean', help: 'one workflow to standard output instead' },
  },
  async run({ args, options, session }) {
    const { client, world } = session;
    if (options.all === args.length > 0) throw new CliError('usage', 'name workflows, or --all');
    if (options.stdout && args.length !== 1) throw new CliError('usage', '--stdout takes one workflow');
    const ids = options.all
      ? (await listWorkflows(client)).map((row) => String(row.id))
      : await Promise.all(args.map((each) => workflowIdOf(client, each)));
    const dir = resolve(world.cwd, options.dir ?? '.');
    if (!options.stdout) mkdirSync(dir, { recursive: true });
    const folder = options.stdout ? null : new WorkflowFolder(dir);
    const written: JsonObject[] = [];
    for (const id of ids) {
      const file = fileOf(await client.call('GET', workflowPath(id)));
      if (folder === null) world.out.raw(harmlessJson(textOf(file)));
      else {
        const path = folder.pathFor(file);
        writeWorkflowFile(path, file);
        written.push({ id, name: file.name, file: path });
        if (!session.json) world.out.line(join(options.dir ?? '.', path.slice(dir.length + 1)));
      }
    }
    if (session.json && folder !== null) world.out.json(written);
    return 'ok';
  },
});

/** Compares files with the server. */
export const diff = command({
  name: 'workflow diff',
  summary: 'Shows differences between files and the server; exit code 1 if there are any',
  args: FILES,
  async run({ args, session }) {
    const all: JsonObject[] = [];
    for (const path of args) {
      const file = readWorkflowFile(resolve(session.world.cwd, path));
      const known = await workflowOfFile(session.client, file);
      const changes = known === null ? [] : changesOf(known, file);
      all.push({
        file: path,
        id: known?.id ?? null,
        new: known === null,
        differences: changes as unknown as JsonObject[],
      });
    }
    session.answer(all, () => all.forEach((each) => showDifferences(session, each)));
    return all.some((each) => each.new === true || objectsAt(each, 'differences').length > 0) ? 'no' : 'ok';
  },
});

function showDifferences({ world: { out } }: Session, each: JsonObject): void {
  const changes = objectsAt(each, 'differences');
  if (each.new === true) return out.line(paint('green', `${textAt(each, 'file')}: not on the server yet`));
  if (changes.length > 0) out.line(paint('bold', `${textAt(each, 'file')}:`));
  for (const change of changes) {
    out.line(`  ${textAt(change, 'path')}`);
    if (change.from !== undefined) out.line(paint('red', `    - ${JSON.stringify(change.from)}`));
    if (change.to !== undefined) out.line(paint('green', `    + ${JSON.stringify(change.to)}`));
  }
}

/** Approves a workflow as it was reviewed. */
export const approveWorkflow = command({
  name: 'workflow approve',
  summary: 'Approves a workflow',
  args: [{ name: 'ID|NAME' }],
  options: {
    hash: {
      type: 'string',
      value: 'HASH',
      help: 'the reviewed dsl_hash; rejected if the workflow has another one',
    },
  },
  notes: ['Without --hash, approves the document that the server has when the command starts.'],
  async run({ args: [given = ''], options, session }) {
    const path = workflowPath(await workflowIdOf(session.client, given));
    const dsl_hash = options.hash ?? textAt(await session.client.call('GET', path), 'dsl_hash');
    const workflow = await session.client.call('POST', `${path}/approve`, { dsl_hash });
    session.answer(workflow, () =>
      session.world.out.line(`${textAt(workflow, 'name')} is approved, version ${textAt(workflow, 'version')}`),
    );
    return 'ok';
  },
});

/** Validates files at the server, which knows the tenant's own nodes and connectors. */
export const validate = command({
  name: 'workflow validate',
  summary: 'Validates files at the server; exit code 1 if one is invalid',
  args: FILES,
  async run({ args, session }) {
    const { world } = session;
    const all: JsonObject[] = [];
    for (const path of args) {
      const { dsl } = readWorkflowFile(resolve(world.cwd, path));
      all.push({ file: path, ...(await session.client.call('POST', '/api/v1/workflows/validate', { dsl })) });
    }
    session.answer(all, () => {
      for (const each of all) {
        world.out.line(
          textAt(each, 'file'),
          ': ',
          each.valid === true ? paint('green', 'valid') : paint('red', 'not valid'),
        );
        for (const kind of ['errors', 'warnings'])
          objectsAt(each, kind).forEach((fault) => world.out.line(`  ${faultText(kind, fault)}`));
      }
    });
    return all.every((each) => each.valid === true) ? 'ok' : 'no';
  },
});

const faultText = (kind: string, fault: JsonObject): string =>
  `${kind === 'errors' ? 'error' : 'warning'} ${textAt(fault, 'path')}: ${textAt(fault, 'message')}${isObject(fault) && fault.hint ? ` (${textAt(fault, 'hint')})` : ''}`;
