import { readConnectorUrls } from '../../../lib/connector-config';

const read = (env: Record<string, string>) => {
  const faults: string[] = [];
  return { urls: Object.fromEntries(readConnectorUrls(env, faults)), faults };
};

test('a connector is named by its variable, and its address has no trailing slash', () => {
  const env = { CONNECTOR_SUITE_MAIL_URL: 'https://mail.example.com/api/', CONNECTOR_CHAT_URL: '', OTHER: 'x' };
  expect(read(env)).toEqual({ urls: { 'suite-mail': 'https://mail.example.com/api' }, faults: [] });
});

test('an address with more than a location is refused with the name of its variable', () => {
  const { urls, faults } = read({ CONNECTOR_CHAT_URL: 'https://user:password@chat.example.com' });
  expect(urls).toEqual({});
  expect(faults).toEqual([expect.stringContaining('CONNECTOR_CHAT_URL')]);
});

test('the address of the bots is also that of the connector, unless the connector has its own', () => {
  expect(read({ BOT_MESSENGER_URL: 'http://bots.internal:8081/' }).urls).toEqual({
    'bot-messenger': 'http://bots.internal:8081',
  });
  const both = { BOT_MESSENGER_URL: 'http://a.internal', CONNECTOR_BOT_MESSENGER_URL: 'http://b.internal' };
  expect(read(both).urls).toEqual({ 'bot-messenger': 'http://b.internal' });
  expect(read({ BOT_MESSENGER_URL: 'no address' })).toEqual({ urls: {}, faults: [] });
});
