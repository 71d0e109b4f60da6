import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { filledText } from '../../schema';
import { CUSTOMER, CUSTOMER_DETAILS, CUSTOMER_ID, EMAIL } from './fields';
import { afterLast, byMark, page, post } from './requests';
import { pick, queryFrom } from '../input';
import { idempotentWrite, readAction } from '../define';

const DETAILS = Object.keys(CUSTOMER_DETAILS);

export const customers: readonly HttpAction[] = [
  idempotentWrite('create_customer', 'A new customer, once for each step.', {
    optional: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post('/v1/customers', pick(input, ...DETAILS)),
  }),
  readAction('get_customer', 'What is known of a customer.', {
    required: { customer_id: CUSTOMER_ID },
    output: CUSTOMER,
    call: 'GET /v1/customers/{customer_id}',
  }),
  idempotentWrite('update_customer', 'Changes what is given; the rest stays.', {
    required: { customer_id: CUSTOMER_ID },
    optional: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post(urlPath`/v1/customers/${input.customer_id}`, pick(input, ...DETAILS)),
  }),
  readAction('list_customers', 'Customers, the newest first.', {
    optional: { email: { ...EMAIL, description: 'Only those with this very address.' } },
    item: CUSTOMER,
    request: (input) => page('/v1/customers', queryFrom(input, 'email')),
    pages: afterLast,
  }),
  readAction('search_customers', 'Customers that fit; new ones are found after about a minute.', {
    required: {
      query: filledText('In the language of the provider.', "metadata['order']:'4711'", {
        maxLength: 2_000,
      }),
    },
    item: CUSTOMER,
    request: (input) => page('/v1/customers/search', queryFrom(input, 'query')),
    pages: byMark,
  }),
];
