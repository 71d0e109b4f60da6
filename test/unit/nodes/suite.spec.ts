import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { EgressError } from '../../../lib/egress';
import { nodes } from '../../../nodes';
import { connectorNodes } from '../../../nodes/connectors';
import { CASE_SECRET, type NodeCase, type ScriptedAnswer } from '../../../nodes/case';
import type { JsonSchema, NodeContext, NodeMeans, NodeType, Outcome } from '../../../nodes/contract';
import { openSandbox } from '../../support/sandbox';
import { fakeSkills } from '../../support/skills';
import { BARE_MEANS, createContext } from './context';
import { variants } from './variants';

/** Every node type passes this suite. A folder with a manifest is found here without being named. */
const ROOT = join(__dirname, '../../../nodes');
/** Where node types that talk to other systems meet real ones. */
const PEERS = join(__dirname, '../../integration/nodes');
const folders = readdirSync(ROOT, { withFileTypes: true })
  .filter((family) => family.isDirectory())
  .flatMap((family) => readdirSync(join(ROOT, family.name)).map((name) => join(ROOT, family.name, name)))
  .filter((folder) => existsSync(join(folder, 'manifest.ts')));

interface Subject {
  node: NodeType;
  cases: NodeCase[];
}

const subjects = folders.map((folder): Subject => {
  const exported = Object.values(require(folder) as Record<string, NodeType>);
  if (exported.length !== 1) throw new Error(`${folder} must export one node type`);
  const { cases } = require(join(folder, 'cases')) as { cases: NodeCase[] };
  return { node: exported[0] as NodeType, cases };
});

const ajv = new Ajv({ strict: true, allErrors: true });
const problems = (schema: JsonSchema, value: unknown): string | null => {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
};

const pool = openSandbox({ warm: 1, most: 1 });
afterAll(() => pool.close());
const unreachable = async (): Promise<never> => {
  throw new EgressError('connect', 'there is nothing outside of the suite');
};
const means: NodeMeans = {
  ...BARE_MEANS,
  sandbox: pool.lane('suite'),
  net: { connect: unreachable },
};

/** For nodes that ask more than their cases have answers for. */
const SOME_ANSWERS: ScriptedAnswer[] = Array.from({ length: 10 }, () => ({ status: 200, body: '{}' }));

const contextOf = (
  { input, answers, run, files = {}, skills = {}, knowledge = {} }: NodeCase,
  overrides: Partial<NodeContext> = {},
) => {
  const ctx = createContext(structuredClone(input), answers, {
    means,
    run: () => ({ trigger: {}, steps: {}, loop: null, ...structuredClone(run) }),
    skills: fakeSkills(new Map(Object.entries(skills))),
    ...overrides,
  });
  for (const [path, file] of Object.entries(files)) ctx.workspace.set(path, file);
  for (const [name, found] of Object.entries(knowledge)) ctx.knowledgeBases.bases.set(name, found);
  return ctx;
};

const run = async (node: NodeType, one: NodeCase) => {
  const ctx = contextOf(one);
  return { outcome: await node.run(ctx), ctx };
};

/** Everything that an outcome may make the step's output, now or when its wait is over. */
const outputsOf = (outcome: Outcome): unknown[] => {
  if ('error' in outcome || outcome.kind === 'start_child') return [];
  if (outcome.kind !== 'wait') return [outcome.output];
  // Its end becomes a note, after which the step goes on.
  if (outcome.note !== undefined) return [];
  if (outcome.wait.kind === 'timer') return [outcome.wait.output];
  return outcome.wait.onTimeout.kind === 'complete' ? [outcome.wait.onTimeout.output] : [];
};

const messagesOf = (outcome: Outcome): string[] => {
  if ('error' in outcome) return [outcome.error.message];
  if (outcome.kind !== 'wait' || outcome.wait.kind === 'timer') return [];
  return outcome.wait.onTimeout.kind === 'fail' ? [outcome.wait.onTimeout.error.message] : [];
};

test('every folder with a manifest is in the registry, and nothing else is but actions of connectors', () => {
  const actions = new Set(connectorNodes.map(({ type }) => type));
  const others = [...nodes.types.keys()].filter((type) => !actions.has(type));
  expect(subjects.map(({ node }) => node.type).sort()).toEqual(others.sort());
});

describe.each(subjects)('$node.type', ({ node, cases }) => {
  test('the manifest is complete', () => {
    expect(node).toMatchObject({
      type: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
      version: expect.any(Number),
      onInterrupted: expect.stringMatching(/^(?:retry|fail|ask)$/),
    });
    for (const text of [node.title, node.description, node.category]) expect(text.trim()).not.toBe('');
    const effect = typeof node.effect === 'function' ? node.effect({}) : node.effect;
    expect(['pure', 'read', 'write']).toContain(effect);
    expect(nodes.types.get(node.type)).toBe(node);
    for (const alias of node.aliases ?? []) expect(nodes.aliases.get(alias)).toBe(node.type);
  });

  test('the schemas compile in strict mode and describe objects', () => {
    for (const schema of [node.input, node.output, ...(node.tool ? [node.tool.parameters] : [])]) {
      expect(() => ajv.compile(schema)).not.toThrow();
      expect(schema.type).toBe('object');
    }
  });

  test('every key of the input has a title, and its default and examples fit', () => {
    for (const [key, schema] of Object.entries((node.input.properties ?? {}) as Record<string, JsonSchema>)) {
      expect([key, typeof schema.title]).toEqual([key, 'string']);
      const samples = [
        ...((schema.examples as unknown[] | undefined) ?? []),
        ...('default' in schema ? [schema.default] : []),
      ];
      for (const sample of samples) expect([key, problems(schema, sample)]).toEqual([key, null]);
    }
  });

  test('there is a case that succeeds or waits, or a test with a real peer', () => {
    const kinds = cases.map((one) => one.outcome.kind);
    const peered = existsSync(join(PEERS, `${node.type.replaceAll('_', '-')}.spec.ts`));
    expect(node.type === 'fail' || peered || kinds.some((kind) => kind !== 'fail')).toBe(true);
  });

  test.each(cases)('$title', async (one) => {
    expect(problems(node.input, one.input)).toBeNull();
    const { outcome, ctx } = await run(node, one);
    const expected =
      'error' in one.outcome
        ? {
            ...one.outcome,
            error: { ...one.outcome.error, message: expect.stringContaining(one.outcome.error.message) },
          }
        : one.outcome;
    expect(outcome).toEqual(expected);
    if (one.sends) {
      expect(ctx.sent).toHaveLength(one.sends.length);
      one.sends.forEach((request, index) => expect(ctx.sent[index]).toMatchObject(request));
    }
    const written = [...ctx.workspace].filter(([path]) => !Object.hasOwn(one.files ?? {}, path));
    expect(written.map(([path, file]) => ({ path, ...file }))).toEqual(one.writes ?? []);
    expect(ctx.emitted).toEqual(one.emits ?? []);
    expect(ctx.logged).toEqual(one.logs ?? []);
  });

  test('outputs are JSON objects that fit the output schema', async () => {
    for (const one of cases) {
      for (const output of outputsOf((await run(node, one)).outcome)) {
        expect(JSON.parse(JSON.stringify(output))).toEqual(output);
        expect([one.title, problems(node.output, output)]).toEqual([one.title, null]);
      }
    }
  });

  test('failures are classed and secrets stay out of every message', async () => {
    for (const one of cases) {
      const { outcome, ctx } = await run(node, one);
      if (outcome.kind === 'fail') expect(typeof outcome.retryable).toBe('boolean');
      if ('error' in outcome) {
        expect(outcome.error.code).toMatch(/^[A-Za-z][\w.-]*$/);
      }
      for (const text of [...messagesOf(outcome), ...ctx.logged.map((line) => line.message)]) {
        expect(text).not.toContain(CASE_SECRET);
      }
    }
  });

  test('runs that overlap do not touch the node, their input or each other', async () => {
    const shape = JSON.stringify(node);
    const frozen = cases.map((one) => ({ ...one, input: deepFreeze(structuredClone(one.input)) }));
    const alone = [];
    for (const one of frozen) alone.push((await run(node, one)).outcome);
    const together = await Promise.all(
      [...frozen, ...frozen].map(async (one) => node.run(contextOf(one, { input: one.input }))),
    );
    expect(together).toEqual([...alone, ...alone]);
    expect(JSON.stringify(node)).toBe(shape);
  });

  test('whatever fits the schema has an outcome that can be recorded, and its failures tell no secret', async () => {
    for (const one of cases) {
      for (const input of variants(one.input)) {
        if (problems(node.input, input) !== null) continue;
        const what = `${one.title}: ${JSON.stringify(input).slice(0, 200)}`;
        const ctx = contextOf({ ...one, input, answers: [...(one.answers ?? []), ...SOME_ANSWERS] });
        const outcome = await Promise.resolve()
          .then(() => node.run(ctx))
          .catch((thrown: unknown) => `it threw ${String(thrown)}`);
        if (typeof outcome === 'string') throw new Error(`${what}: ${outcome}`);
        for (const output of outputsOf(outcome)) expect([what, problems(node.output, output)]).toEqual([what, null]);
        for (const text of messagesOf(outcome)) {
          // The runtime masks whole values; a part of one, cut off before, would be shown.
          expect([what, ctx.mask(text).toLowerCase().includes(CASE_SECRET.slice(0, 7))]).toEqual([what, false]);
        }
      }
    }
  }, 120_000);

  test.each([
    ['before anything has begun', false],
    ['while it waits for others', true],
  ])('the signal ends it within 100 ms, %s', async (_, late) => {
    for (const one of cases) {
      const stop = new AbortController();
      let reach = (): void => undefined;
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const settled = Promise.resolve(node.run(contextOf(one, { signal: stop.signal, ...silence(reach) })));
      if (late) await Promise.race([reached, settled]);
      const before = performance.now();
      stop.abort();
      await settled;
      expect([one.title, performance.now() - before < 100]).toEqual([one.title, true]);
    }
  });

  test('an immediate node returns at once', async () => {
    for (const one of cases) {
      const returned = node.run(contextOf(one));
      expect(returned instanceof Promise).toBe(node.immediate !== true);
      await returned;
    }
  });
});

/** A world that answers nothing; `reach` is called when somebody asks it for something. */
const silence = (reach: () => void): Partial<NodeContext> => ({
  emit() {
    reach();
    return untilAborted();
  },
  http: {
    request({ signal }) {
      reach();
      return untilAborted(signal);
    },
  },
  files: {
    write() {
      reach();
      return untilAborted();
    },
    read() {
      reach();
      return untilAborted();
    },
    share() {
      reach();
      return untilAborted();
    },
  },
  knowledge: {
    query() {
      reach();
      return untilAborted();
    },
    add() {
      reach();
      return untilAborted();
    },
  },
  skills: {
    pin() {
      reach();
      return untilAborted();
    },
    read() {
      reach();
      return untilAborted();
    },
    readFile() {
      reach();
      return untilAborted();
    },
  },
  means: {
    ...means,
    sandbox: {
      run(job) {
        reach();
        return means.sandbox.run({ ...job, source: 'while (true);' });
      },
    },
    net: {
      connect({ signal }) {
        reach();
        return untilAborted(signal);
      },
    },
  },
});

/** What hangs until its own signal; what was asked without a signal hangs for good. */
const untilAborted = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new EgressError('aborted', 'aborted')), { once: true });
  });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
