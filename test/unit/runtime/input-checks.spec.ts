import type { JsonObject } from '../../../lib/json';
import type { NodeType } from '../../../nodes/contract';
import { inputChecks } from '../../../runtime/execution/input-checks';
import { inlineCompute } from '../../support/inline-compute';

const node = {
  type: 'list',
  input: { type: 'object', properties: { items: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } } } },
} as unknown as NodeType;

const listOf = (count: number, last: string): JsonObject => ({
  items: [...Array.from({ length: count }, () => 'abcdefgh'), last],
});

describe('the check of a resolved input', () => {
  const noCompute = (): never => {
    throw new Error('A small input needs no thread');
  };

  it('names the path and the error in one sentence', () => {
    const check = inputChecks();
    expect(check(node, listOf(1, 'ok'), noCompute)).toBeNull();
    expect(check(node, listOf(1, 'NO'), noCompute)).toBe('config.items[1] must match "^[a-z]+$"');
  });

  it('uses a thread for a large input, with the same result', async () => {
    const check = inputChecks();
    let asked = 0;
    const compute = () => {
      asked += 1;
      return inlineCompute;
    };
    expect(await check(node, listOf(50_000, 'ok'), compute)).toBeNull();
    expect(await check(node, listOf(50_000, 'NO'), compute)).toBe('config.items[50000] must match "^[a-z]+$"');
    expect(asked).toBe(2);
  });
});
