import { parseDuration } from '../../lib/duration';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { readJson } from '../workflow-file';
import { objectAt, objectsAt, textAt, workflowIdOf } from '../workflows';

const ALERT = [{ name: 'ID|NAME' }] as const;
const MAX_ALERTS = 200;

const listOf = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/alerts', MAX_ALERTS);
const pathOf = (id: string): string => `/api/v1/alerts/${encodeURIComponent(id)}`;

/** The id of an alert by its id or name. @throws CliError not_found */
async function alertIdOf(client: Client, which: string): Promise<string> {
  const found = (await listOf(client)).find(({ id, name }) => id === which || name === which);
  if (found === undefined) throw new CliError('not_found', `there is no alert "${which}"`);
  return textAt(found, 'id');
}

function stateOf(row: JsonObject): string {
  const muted = textAt(row, 'muted_until');
  const until = muted !== '' && Date.parse(muted) > Date.now() ? `, muted until ${muted}` : '';
  return `${textAt(row, 'state')}${row.state === 'firing' ? ` since ${textAt(row, 'firing_since')}` : ''}${until}`;
}

const targetsOf = (row: JsonObject): string =>
  objectsAt(row, 'channels')
    .map((channel) => textAt(channel, 'url') || textAt(channel, 'action') || `mail to ${String(channel.to)}`)
    .join(', ');

/** Lists the alerts and their states. */
export const list = command({
  name: 'alert list',
  summary: 'Lists the alerts, and whether they hold',
  options: { workflow: { type: 'string', value: 'ID|NAME', help: 'those that cover this workflow' } },
  async run({ session, options: { workflow } }) {
    const { client, world } = session;
    const query = workflow === undefined ? '' : `?workflow_id=${await workflowIdOf(client, workflow)}`;
    const rows = await client.list(`/api/v1/alerts${query}`, MAX_ALERTS);
    session.answer(rows, () =>
      world.out.table(
        ['NAME', 'CONDITION', 'STATE', 'CHANNELS', 'ID'],
        rows.map((row) => [
          textAt(row, 'name'),
          textAt(objectAt(row, 'condition'), 'kind'),
          stateOf(row),
          targetsOf(row),
          textAt(row, 'id'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Creates an alert from a file, or one on failures in a row from options. */
export const create = command({
  name: 'alert create',
  summary: 'Creates an alert from a file, or one on failures in a row from options',
  args: [{ name: 'FILE|NAME' }],
  options: {
    failures: {
      type: 'string',
      value: 'N',
      help: 'notifies after so many failures in a row; the argument is the name',
    },
    workflow: { type: 'string', value: 'ID|NAME', help: 'watches this workflow; all of them unless given' },
    webhook: { type: 'string', value: 'URL', help: 'sends notices to this URL' },
    mail: {
      type: 'string',
      value: 'TO',
      help: 'sends notices to owners, admins, or the addresses of members, with commas',
    },
    quiet: {
      type: 'string',
      value: 'DURATION',
      help: 'pause between notices of an incident, such as 1h; 30m unless given',
    },
  },
  notes: ['A file has the body of POST /api/v1/alerts as JSON.'],
  async run({ session, args: [which = ''], options }) {
    const { client, world } = session;
    const body = options.failures === undefined ? fileOf(which) : await alertOf(client, which, options);
    const made = await client.call('POST', '/api/v1/alerts', body);
    session.answer(made, () => {
      world.out.line(`Created ${textAt(made, 'name')} (${textAt(made, 'id')})`);
      for (const channel of objectsAt(made, 'channels'))
        if (textAt(channel, 'secret') !== '')
          world.out.line(`Secret of ${textAt(channel, 'url')}, shown once: ${textAt(channel, 'secret')}`);
    });
    return 'ok';
  },
});

function fileOf(path: string): JsonObject {
  const body = readJson(path);
  if (!isObject(body)) throw new CliError('refused', `${path} is not an alert: it needs a JSON object`);
  return body as JsonObject;
}

type Options = Readonly<Record<'failures' | 'workflow' | 'webhook' | 'mail' | 'quiet', string | undefined>>;

async function alertOf(client: Client, name: string, options: Options): Promise<JsonObject> {
  const { failures = '', workflow, webhook, mail, quiet } = options;
  if (!/^\d{1,3}$/.test(failures)) throw new CliError('usage', '--failures takes a number from 1 to 100');
  const channels: Json[] = [
    ...(webhook === undefined ? [] : [{ kind: 'webhook', url: webhook }]),
    ...(mail === undefined ? [] : [{ kind: 'mail', to: mail.split(',').map((each) => each.trim()) }]),
  ];
  if (channels.length === 0) throw new CliError('usage', '--webhook or --mail is needed: where notices go');
  return {
    name,
    condition: { kind: 'failures_in_row', failures: Number(failures) },
    channels,
    ...(workflow === undefined
      ? {}
      : { scope: { kind: 'workflows', workflow_ids: [await workflowIdOf(client, workflow)] } }),
    ...(quiet === undefined ? {} : { quiet_period: quiet }),
  };
}

/** Sends a test notice, and shows what became of it. */
export const test = command({
  name: 'alert test',
  summary: 'Sends a notice that is marked as a test',
  args: ALERT,
  async run({ session, args: [which = ''] }) {
    const { client, world } = session;
    const sent = await client.call('POST', `${pathOf(await alertIdOf(client, which))}/test`);
    session.answer(sent, () => {
      for (const row of objectsAt(sent, 'data'))
        world.out.line(`Sending to ${textAt(objectAt(row, 'channel'), 'target')}: ${textAt(row, 'subject')}`);
    });
    return 'ok';
  },
});

/** Lists what an alert has sent. */
export const history = command({
  name: 'alert history',
  summary: 'Lists the notices of an alert, newest first',
  args: ALERT,
  async run({ session, args: [which = ''] }) {
    const { client, world } = session;
    const page = await client.call('GET', `${pathOf(await alertIdOf(client, which))}/notifications`);
    const rows = objectsAt(page, 'data');
    session.answer(rows, () =>
      world.out.table(
        ['AT', 'KIND', 'WORKFLOW', 'TO', 'STATUS', 'ERROR'],
        rows.map((row) => [
          textAt(row, 'created_at'),
          textAt(row, 'kind'),
          textAt(row, 'workflow_name'),
          textAt(objectAt(row, 'channel'), 'target'),
          textAt(row, 'status'),
          textAt(row, 'error'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Mutes an alert for a time, or ends that. */
export const mute = command({
  name: 'alert mute',
  summary: 'Holds back the notices of an alert for a time',
  args: ALERT,
  options: {
    for: { type: 'string', value: 'DURATION', help: 'such as 2h; an hour unless given' },
    off: { type: 'boolean', help: 'sends them again' },
  },
  async run({ session, args: [which = ''], options }) {
    const { client, world } = session;
    const ms = parseDuration(options.for ?? '1h');
    if (ms === null || ms === 0) throw new CliError('usage', '--for takes a duration, such as 2h');
    const until = options.off ? null : new Date(Date.now() + ms).toISOString();
    const muted = await client.call('POST', `${pathOf(await alertIdOf(client, which))}/mute`, { until });
    session.answer(muted, () =>
      world.out.line(until === null ? `${which} is not muted` : `${which} is muted until ${until}`),
    );
    return 'ok';
  },
});

/** Deletes an alert. */
export const remove = command({
  name: 'alert delete',
  summary: 'Deletes an alert',
  args: ALERT,
  async run({ session, args: [which = ''] }) {
    const { client, world } = session;
    const id = await alertIdOf(client, which);
    await client.call('DELETE', pathOf(id));
    session.answer({ deleted: id }, () => world.out.line(`${which} is deleted`));
    return 'ok';
  },
});
