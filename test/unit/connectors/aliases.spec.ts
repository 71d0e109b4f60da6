import { compile, validateDocument, type WorkflowDocument } from '../../../dsl';
import { nodes } from '../../../nodes';
import { connectors, connectorsByName } from '../../../nodes/connectors';
import { namesOf } from '../../../nodes/connectors/node';
import { builtIn } from '../../support/vocabulary';
import { document, step } from '../dsl/support/documents';

it.each([
  ['slack.post_message', 'chat.post_message'],
  ['google_sheets.append_rows', 'suite-sheets.append_rows'],
  ['google-sheets.append_rows', 'suite-sheets.append_rows'],
  ['gmail.send', 'suite-mail.send'],
  ['suite_mail.send', 'suite-mail.send'],
  ['notion.create_page', 'notes.create_page'],
  ['telegram.send_message', 'bot-messenger.send_message'],
  ['whatsapp.send_text', 'messaging-a.send_text'],
  ['stripe.create_customer', 'billing-provider.create_customer'],
  ['microsoft_teams.send_message', 'microsoft-teams.send_message'],
])('%s stands for %s', (alias, type) => {
  expect(nodes.types.has(type)).toBe(true);
  expect(nodes.aliases.get(alias)).toBe(type);
});

it('documents with the name of a product are valid, and run as the step type', () => {
  const dsl = document([step('tell', { type: 'slack.post_message', config: { channel: '#orders', text: 'Hello' } })]);
  expect(validateDocument(dsl, { nodeTypes: builtIn }).errors).toEqual([]);
  expect(compile(dsl as unknown as WorkflowDocument, builtIn).steps[0]?.type).toBe('chat.post_message');
});

it.each([
  ['telegram.send_mesage', 'did you mean "telegram.send_message"?'],
  ['gmail.send_email', 'gmail has send, '],
  ['slak.post_message', 'did you mean "slack.post_message"?'],
  ['slack', 'slack has post_message'],
  ['postgresql.query', 'did you mean "postgres.query"?'],
  ['openai.chat', 'write "llm"'],
  ['signal-messenger.send_message', 'http_request calls any API'],
  ['viber.send_message', 'http_request calls any API'],
])('the unknown type %s never leads to another product', (type, hint) => {
  const { errors } = validateDocument(document([step('tell', { type })]), { nodeTypes: builtIn });
  expect(errors[0]?.hint).toContain(hint);
});

it('no two connectors share a name', () => {
  const names = connectors.flatMap(namesOf);
  expect(new Set(names).size).toBe(names.length);
  expect(connectorsByName.get('slack')?.name).toBe('chat');
});
