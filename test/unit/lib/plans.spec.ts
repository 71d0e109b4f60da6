import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigError } from '../../../lib/config';
import { applyPlans, DEFAULT_PLANS, limitsOf, loadPlans, overriddenLimits } from '../../../lib/plans';

const faultsOf = (content: unknown): readonly string[] => {
  try {
    applyPlans(content, 'plans.json');
  } catch (error) {
    return (error as ConfigError).faults;
  }
  throw new Error('It was accepted');
};

describe('plans', () => {
  test('without a file the plans are as documented', () => {
    expect(loadPlans(null)).toEqual({
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
    });
  });

  test('a file changes only its limits', () => {
    const plans = applyPlans({ free: { active_workflows: 3 }, pro: { concurrent_executions: null } }, 'plans.json');
    expect(plans.free).toEqual({ ...DEFAULT_PLANS.free, active_workflows: 3 });
    expect(plans.pro).toEqual({ ...DEFAULT_PLANS.pro, concurrent_executions: null });
    expect(plans.enterprise).toEqual(DEFAULT_PLANS.enterprise);
  });

  test('every fault of a file is reported', () => {
    const faults = faultsOf({ gold: {}, free: { active_workflows: -1, nonsense: 4 }, pro: 7 });
    expect(faults).toHaveLength(4);
    expect(faults.join('\n')).toMatch(/gold.*\n.*free\.active_workflows.*\n.*free\.nonsense.*\n.*pro must be/);
  });

  test.each([null, [], 'free', 4])('a document that is no object is refused: %j', (content) => {
    expect(faultsOf(content)).toHaveLength(1);
  });

  test('an unknown plan has the limits of the lowest one', () => {
    expect(limitsOf(DEFAULT_PLANS, 'pro')).toBe(DEFAULT_PLANS.pro);
    expect(limitsOf(DEFAULT_PLANS, 'constructor')).toBe(DEFAULT_PLANS.free);
  });

  test('a limit of a tenant replaces that of its plan until it expires', () => {
    const own = {
      members: { value: 7, expires_at: new Date(1_000) },
      datasets: { value: null, expires_at: null },
    };
    const { free } = DEFAULT_PLANS;
    expect(overriddenLimits(free, own, 999)).toEqual({ ...free, members: 7, datasets: null });
    expect(overriddenLimits(free, own, 1_000)).toEqual({ ...free, datasets: null });
    expect(overriddenLimits(free, {}, 0)).toEqual(free);
  });

  test('a file is read, and an unreadable one is reported with its path', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'plans-'));
    try {
      const path = join(dir, 'plans.json');
      writeFileSync(path, '{"free":{"executions_per_month":5}}');
      expect(loadPlans(path).free.executions_per_month).toBe(5);
      writeFileSync(path, '{');
      expect(() => loadPlans(path)).toThrow(path);
      expect(() => loadPlans(join(dir, 'none.json'))).toThrow('none.json');
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
