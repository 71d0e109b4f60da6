import { talking } from './machine';

const VIEW = {
  folder: 'Sales/Orders',
  access: 'restricted',
  right: 'manage',
  grants: [{ kind: 'member', id: 'u1', name: 'ada@example.com', right: 'run' }],
};
const PATH = '/api/v1/folders/Sales%2FOrders/access';

it('restricts, opens and resets a folder with its grants, and shows what holds then', async () => {
  await talking(
    { [`PUT ${PATH}`]: VIEW, [`GET ${PATH}`]: VIEW, [`DELETE ${PATH}`]: null },
    async (run, seen, { output }) => {
      expect(await run('folder', 'restrict', 'Sales/Orders', 'ada@example.com=run', 'group:g1=view')).toBe('ok');
      expect(output.out).toContain('Sales/Orders is restricted; your right is manage');
      expect(output.out).toMatch(/ada@example\.com +member +run +u1/);
      expect(await run('folder', 'open', 'Sales/Orders')).toBe('ok');
      expect(await run('folder', 'access', 'Sales/Orders')).toBe('ok');
      expect(await run('folder', 'reset', 'Sales/Orders')).toBe('ok');
      const grants = [
        { kind: 'member', id: 'ada@example.com', right: 'run' },
        { kind: 'group', id: 'g1', right: 'view' },
      ];
      expect(seen).toEqual([
        `PUT ${PATH} ${JSON.stringify({ access: 'restricted', grants })}`,
        `PUT ${PATH} ${JSON.stringify({ access: 'open', grants: [] })}`,
        `GET ${PATH}`,
        `DELETE ${PATH}`,
      ]);
    },
  );
});

it('refuses what is no grant before anything is sent', async () => {
  await talking({}, async (run, seen, { output }) => {
    expect(await run('folder', 'restrict', 'Sales', 'ada@example.com')).toBe('usage');
    expect(await run('folder', 'restrict', 'Sales', 'ada@example.com=own')).toBe('usage');
    expect(await run('folder', 'restrict', 'Sales', '=run')).toBe('usage');
    expect(output.err).toContain('such as ada@example.com=run');
    expect(seen).toEqual([]);
  });
});

it('lists folders with the right of the caller on each', async () => {
  const rows = [
    { folder: '', workflows: 2, restricted: false, has_rules: false, right: 'edit' },
    { folder: 'Sales', workflows: 1, restricted: true, has_rules: true, right: 'view' },
  ];
  await talking({ 'GET /api/v1/folders': { data: rows, limit: 200, offset: 0 } }, async (run, _seen, { output }) => {
    expect(await run('folder', 'list')).toBe('ok');
    expect(output.out).toMatch(/\(no folder\) +2 +no +edit/);
    expect(output.out).toMatch(/Sales +1 +yes +view/);
  });
});
