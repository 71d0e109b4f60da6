import { until } from '../../support/until';
import { askStep, openSite, pen, shownBy, type Site } from './site';

/* Visitors come to one node, runs are on another: what they say goes over the bus, where some of it may be lost. */
let site: Site;
let slug: string;

beforeAll(async () => {
  site = await openSite({}, { nodes: true });
  slug = await site.deploy(await site.workflow([askStep()]));
}, 60_000);
afterAll(() => site.close());
afterEach(() => jest.restoreAllMocks());

const replyOf = (events: Awaited<ReturnType<Site['stream']>>['events']) =>
  events.find(({ event }) => event === 'reply')?.data.reply;

test('a reply comes in pieces from a run on another node', async () => {
  const { pieces, write, close } = pen();
  site.script = () => ({ kind: 'pieces', pieces });
  const stream = site.stream(slug, { message: 'x' });
  write('One ');
  const open = await stream;
  await until('the first word is there', () => shownBy(open.events) === 'One ');
  write('two');
  close();
  await open.ended;
  expect([shownBy(open.events), replyOf(open.events)]).toEqual(['One two', 'One two']);
});

test.each([
  ['first', (n: number) => n !== 0],
  ['second', (n: number) => n !== 1],
  ['last, and all others', () => false],
])('the reply is whole, and no text has a hole, when the %s piece is lost', async (_title, arrives) => {
  const { broker } = site.host;
  const broadcast = broker.broadcast.bind(broker);
  let sent = 0;
  jest.spyOn(broker, 'broadcast').mockImplementation((event: string, ...rest: never[]) => {
    const lost = event === 'execution.said' && !arrives(sent++);
    return lost ? Promise.resolve() : broadcast(event, ...rest);
  });
  const { pieces, write, close } = pen();
  site.script = () => ({ kind: 'pieces', pieces });
  const stream = site.stream(slug, { message: 'x' });
  for (const [n, word] of ['One ', 'two ', 'three'].entries()) {
    write(word);
    await until('it is sent', () => sent > n);
  }
  close();
  const open = await stream;
  await open.ended;
  expect('One two three'.startsWith(shownBy(open.events))).toBe(true);
  expect(replyOf(open.events)).toBe('One two three');
});
