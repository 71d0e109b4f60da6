import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { instance_url: 'https://acme.my.salesforce.com', token: '00D50!AQcAQH0dMHZ' },
  { authorization: 'Bearer 00D50!AQcAQH0dMHZ' },
);

const ADA = { attributes: { type: 'Contact' }, Id: '003D1', Email: 'ada@example.com' };
const SOQL = "SELECT Id, Email FROM Contact WHERE LastName = 'Love & Lace'";

export const cases = [
  pages(
    ['query', 'pages follow the link, of which only the end counts'],
    { soql: SOQL },
    [
      [
        ['GET /query', { query: { q: SOQL } }],
        {
          json: {
            totalSize: 2,
            done: false,
            nextRecordsUrl: 'https://evil.example/services/data/v62.0/query/01gD0000002HU6KIAW-2000',
            records: [ADA],
          },
        },
      ],
      [
        'GET /query/01gD0000002HU6KIAW-2000',
        { json: { totalSize: 2, done: true, records: [{ ...ADA, Id: '003D2' }] } },
      ],
    ],
    [ADA, { ...ADA, Id: '003D2' }],
  ),
  fails(
    ['query', 'an expired session is reported'],
    { soql: SOQL },
    ['GET /query', { query: { q: SOQL } }],
    { status: 401, json: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }] },
    { code: 'INVALID_SESSION_ID', message: 'Salesforce answered 401: Session expired or invalid' },
  ),
  gives(
    ['get_record', 'fields of one record'],
    { object: 'Contact', id: '003D1', fields: ['Id', 'Email'] },
    'GET /sobjects/Contact/003D1?fields=Id,Email',
    ADA,
  ),
  gives(
    ['create_record', 'a record is made'],
    { object: 'Contact', fields: { LastName: 'Lovelace' } },
    ['POST /sobjects/Contact', { body: { LastName: 'Lovelace' } }],
    { id: '003D1', success: true, errors: [] },
  ),
  fails(
    ['create_record', 'a missing field is reported'],
    { object: 'Contact', fields: {} },
    ['POST /sobjects/Contact', { body: {} }],
    {
      status: 400,
      json: [
        {
          message: 'Required fields are missing: [LastName]',
          errorCode: 'REQUIRED_FIELD_MISSING',
          fields: ['LastName'],
        },
      ],
    },
    { code: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [LastName]' },
  ),
  gives(
    ['update_record', 'a record changes'],
    { object: 'Contact', id: '003D1', fields: { Email: 'a@example.com' } },
    ['PATCH /sobjects/Contact/003D1', { body: { Email: 'a@example.com' } }],
    null,
    {},
  ),
  gives(
    ['upsert_record', 'a record is merged'],
    { object: 'Order', field: 'Order_Number__c', value: 'A/1', fields: { Status: 'Paid' } },
    ['PATCH /sobjects/Order/Order_Number__c/A%2F1', { body: { Status: 'Paid' } }],
    { id: '801D1', success: true, errors: [], created: false },
  ),
  gives(
    ['delete_record', 'a record goes'],
    { object: 'Contact', id: '003D1' },
    'DELETE /sobjects/Contact/003D1',
    null,
    {},
  ),
  fails(
    ['update_record', 'a record that others work on may be tried again'],
    { object: 'Contact', id: '003D1', fields: { Email: 'a@example.com' } },
    ['PATCH /sobjects/Contact/003D1', { body: { Email: 'a@example.com' } }],
    { status: 400, json: [{ message: 'unable to obtain exclusive access', errorCode: 'UNABLE_TO_LOCK_ROW' }] },
    { code: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access', retryable: true },
  ),
];
