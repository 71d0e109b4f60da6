import { casesOf } from './case-builders';

const HEADERS = { authorization: 'Token token=u+0123456789', accept: 'application/vnd.pagerduty+json;version=2' };
const { gives, pages, fails, page } = casesOf({ api_key: 'u+0123456789' }, HEADERS);

const FROM = { from: 'ada@example.com' };
const INCIDENT = { id: 'PT4K', incident_number: 1, title: 'Down', status: 'triggered', html_url: 'https://x.example' };

export const cases = [
  pages(
    ['list_services', 'pages are counted by what came before, while there are more'],
    { query: 'shop' },
    [
      [
        'GET /services?limit=100&offset=0&query=shop',
        { json: { services: [{ id: 'PIJ1' }], limit: 100, offset: 0, more: true } },
      ],
      [
        'GET /services?limit=100&offset=1&query=shop',
        { json: { services: [{ id: 'PIJ2' }], limit: 100, offset: 1, more: false } },
      ],
    ],
    [{ id: 'PIJ1' }, { id: 'PIJ2' }],
  ),
  fails(
    ['list_services', 'a wrong key is rejected'],
    {},
    'GET /services?limit=100&offset=0',
    { status: 401, json: { error: { message: 'Invalid credentials', code: 2006 } } },
    { code: 'provider_2006', message: 'PagerDuty answered 401: Invalid credentials' },
  ),
  page(
    ['list_incidents', 'open incidents'],
    { statuses: ['triggered', 'acknowledged'], service_ids: ['PIJ1'], since: '2026-01-01T00:00:00Z' },
    [
      'GET /incidents',
      {
        query: {
          limit: '100',
          offset: '0',
          sort_by: 'created_at:desc',
          since: '2026-01-01T00:00:00Z',
          'statuses[]': ['triggered', 'acknowledged'],
          'service_ids[]': 'PIJ1',
        },
      },
    ],
    { incidents: [INCIDENT], more: false },
    [INCIDENT],
  ),
  gives(
    ['get_incident', 'one incident'],
    { incident: 'PT4K' },
    'GET /incidents/PT4K',
    { incident: INCIDENT },
    INCIDENT,
  ),
  gives(
    ['create_incident', 'an incident is opened in the name of a user'],
    { ...FROM, service: 'PIJ1', title: 'Down', details: 'No answer.', urgency: 'high', incident_key: 'shop' },
    [
      'POST /incidents',
      {
        headers: FROM,
        body: {
          incident: {
            type: 'incident',
            title: 'Down',
            service: { id: 'PIJ1', type: 'service_reference' },
            urgency: 'high',
            incident_key: 'shop',
            body: { type: 'incident_body', details: 'No answer.' },
          },
        },
      },
    ],
    { incident: INCIDENT },
    INCIDENT,
  ),
  fails(
    ['create_incident', 'the reason of a refusal is shown'],
    { ...FROM, service: 'PIJ1', title: 'Down' },
    [
      'POST /incidents',
      { body: { incident: { type: 'incident', title: 'Down', service: { id: 'PIJ1', type: 'service_reference' } } } },
    ],
    {
      status: 400,
      json: { error: { message: 'Invalid Input Provided', code: 2001, errors: ['Requester User Not Found'] } },
    },
    { code: 'provider_2001', message: 'Invalid Input Provided: Requester User Not Found' },
  ),
  gives(
    ['update_incident', 'an incident is resolved'],
    { ...FROM, incident: 'PT4K', status: 'resolved', resolution: 'Started again.' },
    [
      'PUT /incidents/PT4K',
      {
        headers: FROM,
        body: { incident: { type: 'incident_reference', status: 'resolved', resolution: 'Started again.' } },
      },
    ],
    { incident: { ...INCIDENT, status: 'resolved' } },
    { ...INCIDENT, status: 'resolved' },
  ),
  gives(
    ['create_note', 'a note is written'],
    { ...FROM, incident: 'PT4K', content: 'Looking.' },
    ['POST /incidents/PT4K/notes', { headers: FROM, body: { note: { content: 'Looking.' } } }],
    { note: { id: 'PWL7', content: 'Looking.' } },
    { id: 'PWL7', content: 'Looking.' },
  ),
  page(
    ['list_oncalls', 'who is on call'],
    { escalation_policy_ids: ['PT20'] },
    'GET /oncalls?limit=100&offset=0&escalation_policy_ids[]=PT20',
    { oncalls: [{ escalation_level: 1, user: { id: 'PU1' } }], more: false },
    [{ escalation_level: 1, user: { id: 'PU1' } }],
  ),
  fails(
    ['get_incident', 'a limit is waited for'],
    { incident: 'PT4K' },
    'GET /incidents/PT4K',
    {
      status: 429,
      headers: { 'ratelimit-reset': '33' },
      json: { error: { message: 'Rate Limit Exceeded', code: 2020 } },
    },
    { code: 'provider_2020', message: 'Rate Limit Exceeded', retryable: true, retryAfterMs: 33_000 },
  ),
];
