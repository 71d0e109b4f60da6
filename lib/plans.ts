import { readFileSync } from 'node:fs';
import { ConfigError } from './config';
import { errorMessage } from './errors';
import { isObject } from './json';

/** Everything that a plan limits. Sizes are in mebibytes; `history_days`: how long ended executions are kept. */
export const LIMIT_NAMES = [
  'active_workflows',
  'executions_per_month',
  'concurrent_executions',
  'members',
  'knowledge_base_mb',
  'storage_mb',
  'history_days',
  'datasets',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** Limits of a plan; null for unlimited. */
export type Limits = Readonly<Record<LimitName, number | null>>;

/** A limit of one tenant instead of that of its plan. */
export interface LimitOverride {
  readonly value: number | null;
  /** Null: it does not expire. */
  readonly expires_at: Date | null;
}

export type Overrides<O extends LimitOverride = LimitOverride> = Readonly<Partial<Record<LimitName, O>>>;

/** The plan tiers, lowest first. */
export const PLAN_NAMES = ['free', 'pro', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];
export type Plans = Readonly<Record<PlanName, Limits>>;

/** Generous, because most installations are self-hosted. */
export const DEFAULT_PLANS: Plans = {
  free: {
    active_workflows: 25,
    executions_per_month: 1_000_000,
    concurrent_executions: 200,
    members: 50,
    knowledge_base_mb: 512,
    storage_mb: 1_024,
    history_days: 30,
    datasets: 100,
  },
  pro: {
    active_workflows: 250,
    executions_per_month: 10_000_000,
    concurrent_executions: 2_000,
    members: 500,
    knowledge_base_mb: 10_240,
    storage_mb: 102_400,
    history_days: 180,
    datasets: 1_000,
  },
  enterprise: {
    active_workflows: null,
    executions_per_month: null,
    concurrent_executions: null,
    members: null,
    knowledge_base_mb: null,
    storage_mb: null,
    history_days: 400,
    datasets: null,
  },
};

/** The tier of a plan; an unknown name counts as the lowest. */
export const planTierOf = (name: string): PlanName => PLAN_NAMES.find((known) => known === name) ?? 'free';

/** The limits of a plan; an unknown name gets the lowest tier's. */
export const limitsOf = (plans: Plans, name: string): Limits => plans[planTierOf(name)];

/** The overrides in the order of LIMIT_NAMES. */
export const overridesIn = <O extends LimitOverride>(overrides: Overrides<O>): { limit: LimitName; override: O }[] =>
  LIMIT_NAMES.flatMap((limit) => {
    const override = overrides[limit];
    return override === undefined ? [] : [{ limit, override }];
  });

/** The overrides that have not expired. Pure. */
export const currentOverrides = (overrides: Overrides, now: number): { limit: LimitName; override: LimitOverride }[] =>
  overridesIn(overrides).filter(({ override: { expires_at: at } }) => at === null || at.getTime() > now);

/** The limits of a plan with the overrides that have not expired. Pure. */
export const overriddenLimits = (limits: Limits, overrides: Overrides, now: number): Limits => ({
  ...limits,
  ...Object.fromEntries(currentOverrides(overrides, now).map(({ limit, override }) => [limit, override.value])),
});

/**
 * The plan tiers with the changes of a JSON file (`{"free": {"active_workflows": 50}}`), if one is given.
 * @throws ConfigError naming every fault of the file
 */
export function loadPlans(path: string | null): Plans {
  if (path === null) return DEFAULT_PLANS;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`PLANS_FILE ${path} cannot be read: ${errorMessage(error)}`]);
  }
  return applyPlans(content, path);
}

/** The plan tiers with a document's changes. Pure. @throws ConfigError */
export function applyPlans(content: unknown, source: string): Plans {
  if (!isObject(content)) throw new ConfigError([`PLANS_FILE ${source} must hold an object such as {"free": {...}}`]);
  const faults = [
    ...Object.keys(content)
      .filter((name) => !isOneOf(PLAN_NAMES, name))
      .map((name) => `PLANS_FILE ${source}: "${name}" is not a plan; plans are ${PLAN_NAMES.join(', ')}`),
    ...PLAN_NAMES.filter((plan) => Object.hasOwn(content, plan)).flatMap((plan) =>
      planFaults(`PLANS_FILE ${source}: ${plan}`, content[plan]),
    ),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const changes = content as Partial<Record<PlanName, Partial<Limits>>>;
  return {
    free: { ...DEFAULT_PLANS.free, ...changes.free },
    pro: { ...DEFAULT_PLANS.pro, ...changes.pro },
    enterprise: { ...DEFAULT_PLANS.enterprise, ...changes.enterprise },
  };
}

function planFaults(where: string, plan: unknown): string[] {
  if (!isObject(plan)) return [`${where} must be an object of limits`];
  return Object.entries(plan).flatMap(([name, limit]) => {
    if (!isOneOf(LIMIT_NAMES, name)) return [`${where}.${name} is not a limit; limits are ${LIMIT_NAMES.join(', ')}`];
    if (limit === null || (Number.isSafeInteger(limit) && (limit as number) >= 0)) return [];
    return [`${where}.${name} must be a whole number from 0, or null for no limit`];
  });
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);
