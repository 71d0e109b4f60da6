import { channelsService } from '../../../services/channels/channels.service';
import { Conversations } from '../../../services/channels/chat/conversations';
import { conversationModel } from '../../../services/channels/chat/model';
import { startApp, type TestApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';

const THIRTY_ONE_DAYS = 31 * 86_400_000;
const chat = { id: 'chat', workflow: { id: 'workflow', tenant_id: 'tenant' } };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ services: [channelsService] });
});
afterAll(() => app?.close());

test('a conversation that is forgotten, and still lies there, is begun anew by one of those who want to', async () => {
  // Starts at the real time, because the database removes expired records by its own clock.
  const clock = new ManualClock(Date.now());
  const conversations = new Conversations(conversationModel(app.app.db), clock);
  const id = '00000000-0000-4000-8000-000000000001';
  const first = await conversations.open(chat, id, { text: 'old', executionId: 'run-1' });
  if (first === null) throw new Error('It was not begun');
  await conversations.end(chat, first, 'run-1', { said: 'old', reply: 'old', execution_id: 'run-1' });
  expect(await conversations.open(chat, id, { text: 'too early', executionId: 'run-2' })).toBeNull();
  clock.advance(THIRTY_ONE_DAYS);
  expect(await conversations.find(chat, id)).toBeNull();
  const begun = await Promise.all(
    ['run-3', 'run-4'].map((executionId) => conversations.open(chat, id, { text: 'new', executionId })),
  );
  const [anew, ...others] = begun.filter((record) => record !== null);
  expect(others).toEqual([]);
  expect(anew).toMatchObject({ turns: [], pending: { said: 'new' } });
  const other = { ...chat, id: 'another chat' };
  clock.advance(THIRTY_ONE_DAYS);
  expect(await conversations.open(other, id, { text: 'foreign', executionId: 'run-5' })).toBeNull();
});
