import { randomBytes } from 'node:crypto';
import { createConnection, mongo } from 'mongoose';
import { systemClock } from '../lib/clock';
import { readConfig } from '../lib/config';
import { Keyring } from '../lib/keyring';
import { loadKeys } from '../lib/keys';
import { type Access, definitionOf } from '../mixins/service';
import { Origins } from '../mixins/origin';
import { Principals } from '../mixins/principal';
import type { App } from '../services/app';
import { servicesOf } from '../start/process';
import type { JsonSchema } from '../nodes/contract';
import { schemaOfParams } from './params';

/** A line of a menu. */
export interface MenuLine {
  readonly access: Access;
  readonly summary: string;
  readonly params: JsonSchema;
}

/** The menus of all services: by action what it asks for, and by event what its listeners take. */
export function readMenus(): {
  readonly actions: Readonly<Record<string, MenuLine>>;
  readonly heard: ReadonlySet<string>;
} {
  const actions: [string, MenuLine][] = [];
  const heard = new Set<string>();
  for (const make of Object.values(servicesOf(idleApp()))) {
    const schema = make();
    const menu = definitionOf(schema);
    for (const [name, { access, summary, params }] of Object.entries(menu?.actions ?? {})) {
      const action = `${schema.name}.${name}`;
      actions.push([action, { access, summary, params: schemaOfParams(params, action) }]);
    }
    for (const event of Object.keys(menu?.events ?? {})) heard.add(event);
  }
  return { actions: Object.fromEntries(actions.sort(([a], [b]) => (a < b ? -1 : 1))), heard };
}

/** Of an installation that is never opened: services are made of it, and none is started. */
function idleApp(): App {
  const secret = (): string => randomBytes(32).toString('base64');
  const config = readConfig({ MASTER_KEY: secret(), JWT_SECRET: secret(), PRINCIPAL_KEY: secret() });
  const { keys } = loadKeys(config.keys, config.dataDir);
  const parts: Partial<App> = {
    config,
    keys,
    keyring: new Keyring(keys.master),
    // Models and collections can be named without a way to a server.
    db: Object.assign(createConnection(), { db: new mongo.MongoClient('mongodb://nobody.invalid').db('none') }),
    clock: systemClock,
    shared: null,
    principals: new Principals(keys.principal, keys.previous.principal),
    origins: new Origins(keys.principal, keys.previous.principal),
    mailer: null,
    exclusive: true,
    version: '0.0.0',
    nodeId: 'nobody',
    stopping: new AbortController().signal,
  };
  return new Proxy(parts as App, {
    get: (app, name) => (name in app ? app[name as keyof App] : UNUSED),
  });
}

/** Stands for every other part of a process: services keep those for their handlers, and none of them is called. */
const UNUSED: unknown = new Proxy(() => UNUSED, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 0 : typeof name === 'symbol' ? undefined : UNUSED),
});
