import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '../simulation/chance';
import { corpus } from '../stalls/corpus';
import { repeated } from '../stalls/corpus/builders';
import type { Stage } from '../stalls/stage';

/** Requests that a hostile client sends until the signal is aborted. */
export interface Attack {
  readonly name: string;
  run(stage: Stage, signal: AbortSignal): Promise<void>;
}

/** Number of concurrent clients. */
const CLIENTS = 3;

/** Hostile input of the corpus, again and again. */
const INPUTS = [
  'csv: parse 20,000 rows of four numbers',
  'csv: write lists of cells',
  'xml: parse 512 KiB of small elements',
  'html: 19,000 small elements, ten selectors',
  'markdown: emphasis that is never closed',
  'json: write with sorted keys',
  'template: a list of 30,000 items',
  'filter: 20 conditions over 40,000 items',
  'sort: 100,000 texts',
  'aggregate: 15,000 items in as many groups',
  'dedupe: 60,000 objects',
  'expression: sort of 60,000 texts',
  'expression: group_by of 60,000 objects',
  'expression: a pattern over 900 KB',
  'expression: thousands in one step',
  'control: 50 branches in parallel, nine steps each',
  'control: try within try, each fails',
  'control: foreach of 5,000 items, 100 at a time',
  'control: one output read by 200 steps',
  'document: 40,000 steps',
  'document: 20,000 expressions',
  'inputs: nested anyOf',
  'inputs: patternProperties over many members',
  'json: deep nesting in a webhook',
  'http_request: 9 MB of JSON',
  'secrets: sixty of them, and 900 KB that begin like them',
  'code: a result of 1 MB of small objects',
  'custom node: outputs of 9 MB of JSON',
  'openapi: a document of 3 MB',
  'knowledge: 64 KiB of headings',
  'model: an answer in 150,000 pieces',
  'http: gzip of 5.8 MB of brackets to a public route',
  'http: 400,000 keys to a public route',
  'http: 12 MB of text in a webhook',
  'http: sixty followers of a busy run',
  'http: detail of a run with outputs of 9 MB',
  'http: a list of 2,000 approvals',
] as const;

const inputAttack = (name: string): Attack => {
  const found = corpus.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The corpus has no case "${name}"`);
  return {
    name,
    run: (stage, signal) => repeatedly(signal, (dice) => found.run(stage, dice)),
  };
};

/** Runs the attack with several clients. Refused and failed requests are repeated. */
async function repeatedly(signal: AbortSignal, act: (dice: Dice) => Promise<unknown>): Promise<void> {
  const client = async (number: number): Promise<void> => {
    for (let round = 0; !signal.aborted; round++) {
      const ended = act(new Dice(number * 1_000 + round)).catch(() => sleep(20));
      // Requests that take longer than the measurement are not awaited.
      await Promise.race([ended, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))]);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
}

const OTHERS: readonly Attack[] = [
  {
    name: 'anonymous: 900 idle streams',
    async run(stage, signal) {
      const id = await stage.save([{ id: 'wait', type: 'wait', config: { for: '1h' } }]);
      const started = await stage.api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, {});
      const path = `/public/executions/${started.execution_id}/stream`;
      const closers = await Promise.all(Array.from({ length: 900 }, () => stage.follow(path)));
      await aborted(signal);
      for (const close of closers) close();
      await stage.api.call('POST', `/api/v1/executions/${started.execution_id}/cancel`);
    },
  },
  {
    name: 'anonymous: logins with wrong passwords',
    run: (stage, signal) =>
      repeatedly(signal, () => {
        const body = { tenant_slug: 'attacker', email: 'owner@attacker.example', password: 'a-wrong-password' };
        return fetch(`${stage.api.url}/api/v1/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).then((response) => response.text());
      }),
  },
  {
    name: 'anonymous: requests that never end',
    async run(stage, signal) {
      const { hostname, port } = new URL(stage.api.url);
      const sockets = Array.from({ length: 400 }, () => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => undefined);
        socket.write(`POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\nx-a: ${repeated('b', 500)}`);
        return socket;
      });
      while (!signal.aborted) {
        await sleep(200);
        for (const socket of sockets) socket.write('c');
      }
      for (const socket of sockets) socket.destroy();
    },
  },
];

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Forty attacks. */
export const attacks: readonly Attack[] = [...INPUTS.map(inputAttack), ...OTHERS];
