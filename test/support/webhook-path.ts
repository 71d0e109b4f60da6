import { join, relative } from 'node:path';
import type { Middleware } from 'moleculer';
import { Collection } from 'mongodb';
import { middleware } from '../../lib/bus/hooks';

const ROOT = join(__dirname, '..', '..');
const DIST = /^dist\/(.*)\.js$/;
const NOT_OURS = /^(node_modules|test)\/|^node:/;
/** The actions of a webhook; a gateway makes other calls at the same time. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['api-gateway.rest', 'executor.start']);

/** The work that one request has caused, in all processes of a test. */
export interface Path {
  /** Actions in the order of their starts. */
  readonly actions: string[];
  /** Requests and answers on the bus, as they were sent. */
  readonly packets: { readonly type: string; readonly text: string }[];
  /** Texts that were parsed as JSON, and that were written as JSON. */
  readonly parsed: string[];
  readonly written: string[];
  /**
   * Functions of ours between the socket and the journal, each as `file: name`: those that are at work or wait when an action
   * begins, when the body or an entry is written as JSON, and when documents are inserted.
   */
  readonly functions: Set<string>;
}

interface Markers {
  readonly body: string;
  readonly recorded: string;
}

/** Records what requests cause: give `middlewares` to each app, and call `record` for one request. */
export class PathRecorder {
  #path: Path | null = null;

  readonly middlewares: readonly Middleware[] = [
    middleware({
      name: 'PathRecorder',
      localAction:
        (next, { name }) =>
        (ctx) => {
          this.#path?.actions.push(name);
          if (ON_THE_WAY.has(name)) this.#stack();
          return next(ctx);
        },
      call: (next) => (action, params, options) => {
        if (ON_THE_WAY.has(action)) this.#stack();
        return next(action, params, options);
      },
      transporterSend: (next) => (topic, data, meta) => {
        const { type } = meta.packet;
        if (type === 'REQ' || type === 'RES') this.#path?.packets.push({ type, text: data.toString() });
        return next(topic, data, meta);
      },
    }),
  ];

  /** `body` and `recorded`: texts in the body and in what a step records. */
  async record({ body, recorded }: Markers, request: () => Promise<void>): Promise<Path> {
    const path: Path = { actions: [], packets: [], parsed: [], written: [], functions: new Set() };
    const limit = Error.stackTraceLimit;
    const { parse, stringify } = JSON;
    const { insertMany } = Collection.prototype;
    this.#path = path;
    Error.stackTraceLimit = 200;
    const stack = (): void => this.#stack();
    JSON.parse = (text, reviver) => {
      if (String(text).includes(body)) path.parsed.push(String(text));
      return parse(text, reviver);
    };
    JSON.stringify = ((...args: Parameters<typeof stringify>) => {
      const text = stringify(...args);
      if (text?.includes(body)) path.written.push(text);
      if (text?.includes(body) || text?.includes(recorded)) stack();
      return text;
    }) as typeof stringify;
    Collection.prototype.insertMany = function (...args) {
      if (['executions', 'journal'].includes(this.collectionName)) stack();
      return insertMany.apply(this, args);
    };
    try {
      await request();
    } finally {
      Object.assign(JSON, { parse, stringify });
      Collection.prototype.insertMany = insertMany;
      Error.stackTraceLimit = limit;
      this.#path = null;
    }
    return path;
  }

  /** The functions that are at work, and those that wait for them. */
  #stack(): void {
    const { prepareStackTrace } = Error;
    Error.prepareStackTrace = (_, sites) => sites;
    const { stack } = new Error() as unknown as { stack: NodeJS.CallSite[] };
    Error.prepareStackTrace = prepareStackTrace;
    for (const site of stack) {
      const file = relative(ROOT, site.getFileName() ?? '').replace(DIST, '$1.ts');
      const name = site.getFunctionName()?.split('.').at(-1) ?? '';
      if (name !== '' && !file.startsWith('..') && file.includes('/') && !NOT_OURS.test(file))
        this.#path?.functions.add(`${file}: ${name}`);
    }
  }
}
