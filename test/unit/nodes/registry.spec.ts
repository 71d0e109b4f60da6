import type { NodeType } from '../../../nodes/contract';
import { setNode } from '../../../nodes/data/set';
import { createRegistry } from '../../../nodes/registry';

const named = (type: string, ...aliases: string[]): NodeType => ({ ...setNode, type, aliases });

test('a type is found by its name and its alias', () => {
  const node = named('set', 'transform');
  const { types, aliases } = createRegistry([node]);
  expect(types.get('set')).toBe(node);
  expect(aliases.get('transform')).toBe('set');
});

test.each([
  ['two types', [named('a'), named('a')]],
  ['a type and an alias', [named('a'), named('b', 'a')]],
  ['two aliases', [named('a', 'x'), named('b', 'x')]],
  ['a type and its own alias', [named('a', 'a')]],
])('%s of one name are refused', (_what, list) => {
  expect(() => createRegistry(list)).toThrow('Two node types have the name or alias');
});

test('inherited property names are not types', () => {
  const { types, aliases } = createRegistry([]);
  expect([types.get('__proto__'), types.get('constructor'), aliases.get('toString')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
