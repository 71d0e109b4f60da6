import { byShare, csvOf } from '../../../console/src/model/usage-shares';

it('sorts rows by a figure, with their shares of the sum', () => {
  const rows = [
    { name: 'a', runs: 1, cost: 3 },
    { name: 'b', runs: 3, cost: 1 },
  ];
  expect(byShare(rows, 'runs').map(({ row, share }) => [row.name, share])).toEqual([
    ['b', 0.75],
    ['a', 0.25],
  ]);
  expect(byShare(rows, 'cost').map(({ row }) => row.name)).toEqual(['a', 'b']);
  expect(byShare([{ runs: 0 }], 'runs').map(({ share }) => share)).toEqual([0]);
});

it('writes rows as comma-separated values that no spreadsheet runs', () => {
  const rows = [
    { name: 'a "b", c', runs: 1 },
    { name: '=HYPERLINK("x")', runs: -2 },
    { name: null, runs: 0 },
  ];
  expect(csvOf(['name', 'runs'], rows)).toBe('name,runs\r\n"a ""b"", c",1\r\n"\'=HYPERLINK(""x"")",-2\r\n,0\r\n');
});
