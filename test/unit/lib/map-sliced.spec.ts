import { mapSliced } from '../../../lib/time-slices';

const NUMBERS = Array.from({ length: 5_000 }, (_, n) => n);
const DOUBLED = NUMBERS.map((n) => 2 * n);

async function* later() {
  yield* NUMBERS;
}

test('items of lists and of readers become what is made of them, in order', async () => {
  expect(await mapSliced(NUMBERS, 'tenant', (n) => 2 * n)).toEqual(DOUBLED);
  expect(await mapSliced(later(), 'tenant', (n) => 2 * n)).toEqual(DOUBLED);
});

test('other work goes on between the items', async () => {
  let turns = 0;
  let done = false;
  const other = (): void => {
    turns += 1;
    if (!done) setImmediate(other);
  };
  setImmediate(other);
  const busy = (n: number): number => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    return n;
  };
  await mapSliced(NUMBERS.slice(0, 200), 'tenant', busy);
  done = true;
  expect(turns).toBeGreaterThan(2);
});
