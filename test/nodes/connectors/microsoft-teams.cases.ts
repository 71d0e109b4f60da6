import type { Json } from '../../../lib/json';
import { casesOf, type Line } from './case-builders';

const { gives, fails } = casesOf(
  { webhook_url: 'https://prod-1.logic.azure.com:443/workflows/abc/invoke?api-version=1&sig=secretsig' },
  { authorization: null },
);

const sent = (content: Json): Line => [
  'POST /workflows/abc/invoke?api-version=1&sig=secretsig',
  {
    body: {
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
    },
  },
];
const card = (body: Json[], actions?: Json[]) => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body,
  ...(actions === undefined ? {} : { actions }),
});
const TITLE = { type: 'TextBlock', text: 'Order 4711', wrap: true, weight: 'Bolder', size: 'Medium' };
const TEXT = { type: 'TextBlock', text: 'Shipped', wrap: true };

export const cases = [
  gives(
    ['send_message', 'a title, a text and a button'],
    { title: 'Order 4711', text: 'Shipped', link: 'https://shop.example.com' },
    sent(card([TITLE, TEXT], [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://shop.example.com' }])),
    null,
    {},
  ),
  gives(
    ['send_facts', 'names and values'],
    { title: 'Order 4711', facts: [{ title: 'Total', value: '29.35' }] },
    sent(card([TITLE, { type: 'FactSet', facts: [{ title: 'Total', value: '29.35' }] }])),
    null,
    {},
  ),
  gives(
    ['send_card', 'a card goes as it is'],
    { card: { type: 'AdaptiveCard', version: '1.5' } },
    sent({ type: 'AdaptiveCard', version: '1.5' }),
    null,
    {},
  ),
  fails(
    ['send_message', 'a missing webhook is reported'],
    { text: 'Shipped' },
    sent(card([TEXT])),
    { status: 401, json: { error: { code: 'DirectApiAuthorizationRequired', message: 'The request is not signed' } } },
    { code: 'unauthorized', message: 'Microsoft Teams answered 401: The request is not signed' },
  ),
  fails(
    ['send_message', 'a rate limit with status 200 is retryable'],
    { text: 'Shipped' },
    sent(card([TEXT])),
    {
      text: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
    },
    { code: 'rate_limited', message: 'HTTP error 429', retryable: true },
  ),
];
