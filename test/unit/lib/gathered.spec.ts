import { Gathered } from '../../../lib/gathered';

const asked: string[][] = [];
beforeEach(() => {
  asked.length = 0;
});
const squares = new Gathered<number>(async (keys) => {
  asked.push([...keys]);
  if (keys.includes('fault')) throw new Error('no answer');
  return new Map(keys.filter((key) => key !== '0').map((key) => [key, Number(key) ** 2]));
}, 3);

test('what is asked for in one turn is read together, each key once', async () => {
  expect(await Promise.all(['2', '3', '2', '0'].map((key) => squares.get(key)))).toEqual([4, 9, 4, undefined]);
  expect(asked).toEqual([['2', '3', '0']]);
});

test('what is asked for later is read anew', async () => {
  await squares.get('2');
  await squares.get('2');
  expect(asked).toEqual([['2'], ['2']]);
});

test('no reading has more keys than are taken at a time, and one that fails fails alone', async () => {
  const answers = await Promise.allSettled(['1', '2', '3', 'fault', '5'].map((key) => squares.get(key)));
  expect(asked).toEqual([
    ['1', '2', '3'],
    ['fault', '5'],
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
});
