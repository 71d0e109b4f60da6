import type { CallingOptions, ServiceBroker } from 'moleculer';
import type { Principal, Principals } from '../lib/principal';
import { ROLES } from '../lib/roles';

/** The tenant and role that calls from the prompt act for. */
type Actor = Pick<Principal, 'tenant_id' | 'role'>;

/** A broker whose calls carry a signed principal after `as`. */
interface Calling {
  readonly broker: ServiceBroker;
  as(actor: Actor | null): void;
}

const ACTOR_ROLES = [...ROLES, 'service'] as const;

/** Calls with their own token or principal keep it. */
export function callingAs(broker: ServiceBroker, principals: Principals): Calling {
  let actor: Actor | null = null;
  const call = (action: string, params?: object, options: CallingOptions = {}): Promise<unknown> => {
    const meta = options.meta as { token?: unknown; principal?: unknown } | undefined;
    if (actor === null || meta?.token !== undefined || meta?.principal !== undefined)
      return broker.call(action, params ?? {}, options);
    const principal = principals.sign(identityOf(actor, broker.nodeID), Date.now());
    return broker.call(action, params ?? {}, { ...options, meta: { ...meta, principal } });
  };
  return {
    // A proxy: calls of services in this process also use the broker and must stay unchanged.
    broker: new Proxy(broker, { get: (target, name) => (name === 'call' ? call : Reflect.get(target, name)) }),
    as: (given) => void (actor = given),
  };
}

const identityOf = ({ tenant_id, role }: Actor, nodeId: string): Omit<Principal, 'exp'> =>
  role === 'service'
    ? { kind: 'service', tenant_id, user_id: null, email: null, role }
    : { kind: 'user', tenant_id, user_id: 'repl', email: `repl@${nodeId}`, role };

/** Commands in addition to Moleculer's. */
export const replCommands = (calling: Calling) => [
  command(
    'as [tenant_id] [role]',
    'Signs later calls for a tenant and a role; without arguments, removes the signature',
    (given) => {
      const { tenant_id, role } = given;
      if (tenant_id === undefined) return calling.as(null);
      const found = ACTOR_ROLES.find((each) => each === role);
      if (found === undefined) return print(`The role must be one of ${ACTOR_ROLES.join(', ')}`);
      calling.as({ tenant_id, role: found });
      print(`Calls act for tenant ${tenant_id} as ${found}`);
    },
  ),
  command('routes [prefix]', 'Lists actions with their REST routes and params', ({ prefix = '' }) => {
    for (const row of routesOf(calling.broker, prefix)) print(row);
  }),
];

/** One line per action whose name begins with `prefix`: name, route and params; optional ones have a question mark. */
function routesOf(broker: ServiceBroker, prefix: string): string[] {
  const actions = broker.registry.getActionList({}).flatMap(({ name, action }) => {
    if (!name.startsWith(prefix) || action === undefined) return [];
    const { rest, params = {} } = action as { rest?: unknown; params?: Record<string, unknown> };
    const names = Object.entries(params).map(([param, rule]) => (isOptional(rule) ? `${param}?` : param));
    return [[name, typeof rest === 'string' ? rest : '-', names.join(', ')] as const];
  });
  const width = (column: 0 | 1): number => Math.max(0, ...actions.map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  return actions
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, rest, params]) => `${name.padEnd(first)}  ${rest.padEnd(second)}  ${params}`.trimEnd());
}

const isOptional = (rule: unknown): boolean =>
  typeof rule === 'string'
    ? rule.includes('optional')
    : typeof rule === 'object' && rule !== null && 'optional' in rule && rule.optional === true;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const command = (
  declaration: string,
  description: string,
  run: (given: Readonly<Record<string, string | undefined>>) => void,
) => ({
  command: declaration,
  description,
  alias: null,
  allowUnknownOptions: null,
  parse: null,
  options: [],
  action: (_broker: unknown, given: Readonly<Record<string, string | undefined>>) => run(given),
});
