import { SandboxPool } from '../../../lib/sandbox';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { EgressError } from '../../../lib/egress';
import { nodes } from '../../../nodes';
import { connectorNodes } from '../../../nodes/connectors';
import { CASE_SECRET, type NodeCase, type ScriptedAnswer } from '../../nodes/node-case';
import type { JsonSchema, NodeContext, NodeCapabilities, NodeType, Outcome } from '../../../nodes/contract';
import { fakeSkills } from '../../support/skills';
import { BARE_CAPABILITIES, createContext } from './context';
import { variants } from './variants';

/** Every file that exports a node type is found automatically. */
const ROOT = join(__dirname, '../../../nodes');
/** Tests of node types against real systems. */
const PEERS = join(__dirname, '../../integration/nodes');
/** Inputs and outcomes: `family/name.cases.ts` for `family/name.ts` and `family/name/index.ts`. */
const CASES = join(__dirname, '../../nodes');
const DEFINITION = /^[^/]+\/[^/]+(?:\/index)?\.ts$/;
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => DEFINITION.test(file) && !/^(?:connectors|contract)\//.test(file))
  .filter((file) => /^export const \w+Node\b.* = /m.test(readFileSync(join(ROOT, file), 'utf8')));

interface Subject {
  node: NodeType;
  cases: NodeCase[];
}

const subjects = files.map((file): Subject => {
  const exported = Object.entries(require(join(ROOT, file)) as Record<string, NodeType>);
  const [node, ...others] = exported.filter(([name]) => name.endsWith('Node')).map(([, value]) => value);
  if (node === undefined || others.length > 0) throw new Error(`${file} must export one node type`);
  const { cases } = require(join(CASES, file.replace(/(?:\/index)?\.ts$/, '.cases'))) as {
    cases: NodeCase[];
  };
  return { node, cases };
});

const ajv = new Ajv({ strict: true, allErrors: true });
const problems = (schema: JsonSchema, value: unknown): string | null => {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
};

const pool = new SandboxPool({ policy: { warm: 1, max: 1 } });
afterAll(() => pool.close());
const unreachable = async (): Promise<never> => {
  throw new EgressError('connect', 'there is nothing outside of the suite');
};
const capabilities: NodeCapabilities = {
  ...BARE_CAPABILITIES,
  sandbox: pool.lane('suite'),
  net: { connect: unreachable },
};

/** For nodes with more requests than their cases have responses. */
const SOME_ANSWERS: ScriptedAnswer[] = Array.from({ length: 10 }, () => ({ status: 200, body: '{}' }));

const contextOf = (
  { input, answers, run, files = {}, skills = {}, knowledge = {} }: NodeCase,
  overrides: Partial<NodeContext> = {},
) => {
  const ctx = createContext(structuredClone(input), answers, {
    capabilities,
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

/** All outputs that an outcome may have, now or after its wait. */
const outputsOf = (outcome: Outcome): unknown[] => {
  if ('error' in outcome || outcome.kind === 'start_child') return [];
  if (outcome.kind !== 'wait') return [outcome.output];
  // Its end becomes a checkpoint, after which the step continues.
  if (outcome.note !== undefined) return [];
  if (outcome.wait.kind === 'timer') return [outcome.wait.output];
  return outcome.wait.onTimeout.kind === 'complete' ? [outcome.wait.onTimeout.output] : [];
};

const messagesOf = (outcome: Outcome): string[] => {
  if ('error' in outcome) return [outcome.error.message];
  if (outcome.kind !== 'wait' || outcome.wait.kind === 'timer') return [];
  return outcome.wait.onTimeout.kind === 'fail' ? [outcome.wait.onTimeout.error.message] : [];
};

test('the registry has every node type of a file and the actions of connectors, nothing else', () => {
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

  test('failures are classified, and no message contains a secret', async () => {
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

  test('concurrent runs do not change the node, their input or each other', async () => {
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

  test('any valid input has an outcome that can be recorded, and failures contain no secret', async () => {
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
          // The runtime redacts whole values, so a truncated one would be visible.
          expect([what, ctx.redact(text).toLowerCase().includes(CASE_SECRET.slice(0, 7))]).toEqual([what, false]);
        }
      }
    }
  }, 120_000);

  test.each([
    ['before anything has begun', false],
    ['while it waits for others', true],
  ])('the signal ends it within a second, %s', async (_, late) => {
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
      expect([one.title, performance.now() - before < 1_000]).toEqual([one.title, true]);
    }
  });
});

/** Capabilities that never answer; `reach` is called at each request. */
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
  capabilities: {
    ...capabilities,
    sandbox: {
      run(job) {
        reach();
        return capabilities.sandbox.run({ ...job, source: 'while (true);' });
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

/** Waits until the signal aborts; without a signal, never returns. */
const untilAborted = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new EgressError('aborted', 'aborted'));
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
