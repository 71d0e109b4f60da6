import { EgressError } from '../../../../lib/egress';
import { CASE_SECRET, type NodeCase } from '../../node-case';
import { failed, receiving, URL } from './builders';

export const secrets: NodeCase[] = [
  receiving(
    'a secret echoed in the body is masked',
    { status: 401, body: `bad key ${CASE_SECRET}` },
    failed('bad key ***', false),
  ),
  receiving(
    'a secret at the end of the excerpt is masked before it is cut',
    { status: 400, body: `${'x'.repeat(195)}${CASE_SECRET}` },
    failed(`${'x'.repeat(195)}***`, false),
  ),
  receiving(
    'a secret in the path is masked',
    { status: 404 },
    failed('GET https://api.example/*** answered 404', false),
    { url: `https://api.example/${CASE_SECRET}` },
  ),
  receiving('the query is left out', { status: 404 }, failed(`GET ${URL} answered 404`, false), {
    url: `${URL}?key=${CASE_SECRET}`,
  }),
  receiving(
    'a secret in a network error is masked',
    new EgressError('dns', `no ${CASE_SECRET}.example`),
    failed('no ***.example', true, undefined, 'http_dns'),
  ),
  receiving(
    'the encoded form of a password is masked',
    { status: 401, body: `got Basic ${Buffer.from(`ada:${CASE_SECRET}`).toString('base64')}` },
    failed('got Basic ***', false),
    { auth: { type: 'basic', username: 'ada', password: CASE_SECRET } },
  ),
  receiving(
    'the encoded form of an API key is masked',
    { status: 401, body: 'got key=a%20b%2Fc and key=a+b%2Fc' },
    failed('got key=*** and key=***', false),
    { auth: { type: 'api_key', name: 'key', value: 'a b/c', in: 'query' } },
  ),
];
