import type { StepDocument } from './document';
import type { PlanControl } from './plan';

/** A type of container steps: its aliases, its own keys on the step, and those in `config`. */
interface ControlType {
  readonly aliases: readonly string[];
  readonly keys: readonly string[];
  readonly config: readonly string[];
}

/** Container steps, which the actor itself evaluates, by canonical name. */
export const CONTROL_TYPES = {
  branch: { aliases: ['condition', 'if', 'switch'], keys: ['cases', 'else'], config: [] },
  parallel: { aliases: [], keys: ['branches', 'wait'], config: [] },
  foreach: { aliases: [], keys: ['steps'], config: ['items', 'concurrency'] },
  while: { aliases: [], keys: ['steps'], config: ['condition', 'max_iterations'] },
  try: { aliases: [], keys: ['steps', 'catch', 'finally'], config: [] },
} as const satisfies Record<string, ControlType>;

/** The canonical name of a control type. */
export type ControlName = keyof typeof CONTROL_TYPES;

const NAMES = Object.keys(CONTROL_TYPES) as ControlName[];
const BY_NAME: ReadonlyMap<unknown, ControlName> = new Map(
  NAMES.flatMap((name) => [name, ...CONTROL_TYPES[name].aliases].map((each) => [each, name] as const)),
);

/** The canonical name of a control type given by name or alias; null when it is none. */
export const controlType = (type: unknown): ControlName | null => BY_NAME.get(type) ?? null;

/** Limits and defaults of container steps. */
export const CONTROL_LIMITS = {
  cases: 50,
  branches: 50,
  items: 100_000,
  concurrency: 100,
  defaultConcurrency: 1,
  iterations: 100_000,
  defaultIterations: 1_000,
} as const;

/** The control flow of a valid container step. */
export function controlOf(name: ControlName, step: StepDocument): PlanControl {
  const { cases = [], branches = [], wait = 'all', config = {} } = step;
  switch (name) {
    case 'branch':
      return { kind: 'branch', conditions: cases.map(({ when }) => when) };
    case 'parallel':
      return {
        kind: 'parallel',
        branches: branches.map(({ id }) => id),
        wait: wait === 'all' ? branches.length : wait === 'any' ? 1 : wait,
      };
    case 'foreach':
      return {
        kind: 'foreach',
        items: config.items ?? null,
        concurrency: numberOr(config.concurrency, CONTROL_LIMITS.defaultConcurrency),
      };
    case 'while':
      return {
        kind: 'while',
        condition: typeof config.condition === 'string' ? config.condition : config.condition === true,
        maxIterations: numberOr(config.max_iterations, CONTROL_LIMITS.defaultIterations),
      };
    case 'try':
      return { kind: 'try' };
  }
}

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
