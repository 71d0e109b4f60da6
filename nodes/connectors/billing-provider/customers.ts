import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { filledText } from '../../schema';
import { CUSTOMER, CUSTOMER_DETAILS, CUSTOMER_ID, EMAIL } from './fields';
import { afterLast, bySearchCursor, page, post } from './requests';
import { pick, queryFrom } from '../input';
import { idempotentWrite, readAction } from '../define';

const DETAILS = Object.keys(CUSTOMER_DETAILS);

export const customers: readonly HttpAction[] = [
  idempotentWrite('create_customer', 'Creates a customer, once per step.', {
    optional: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post('/v1/customers', pick(input, ...DETAILS)),
  }),
  readAction('get_customer', 'Returns a customer.', {
    required: { customer_id: CUSTOMER_ID },
    output: CUSTOMER,
    call: 'GET /v1/customers/{customer_id}',
  }),
  idempotentWrite('update_customer', 'Updates the given fields; other fields are unchanged.', {
    required: { customer_id: CUSTOMER_ID },
    optional: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post(urlPath`/v1/customers/${input.customer_id}`, pick(input, ...DETAILS)),
  }),
  readAction('list_customers', 'Lists customers, newest first.', {
    optional: { email: { ...EMAIL, description: 'Returns only customers with exactly this address.' } },
    item: CUSTOMER,
    request: (input) => page('/v1/customers', queryFrom(input, 'email')),
    pages: afterLast,
  }),
  readAction('search_customers', 'Searches customers; new ones can be found after about a minute.', {
    required: {
      query: filledText("Query in the provider's search language.", "metadata['order']:'4711'", { maxLength: 2_000 }),
    },
    item: CUSTOMER,
    request: (input) => page('/v1/customers/search', queryFrom(input, 'query')),
    pages: bySearchCursor,
  }),
];
