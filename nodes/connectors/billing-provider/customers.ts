import type { HttpAction } from '../contract';
import { ask, asks, pick, settles } from '../define';
import { at } from '../http/path';
import { text } from '../schemas';
import { CUSTOMER, CUSTOMER_DETAILS, CUSTOMER_ID, EMAIL } from './fields';
import { afterLast, byMark, page, post } from './requests';

const DETAILS = Object.keys(CUSTOMER_DETAILS);

export const customers: readonly HttpAction[] = [
  settles('create_customer', 'Create a customer', 'A new customer, once for each step.', {
    may: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post('/v1/customers', pick(input, ...DETAILS)),
  }),
  asks('get_customer', 'Look at a customer', 'What is known of a customer.', {
    needs: { customer_id: CUSTOMER_ID },
    output: CUSTOMER,
    call: 'GET /v1/customers/{customer_id}',
  }),
  settles('update_customer', 'Change a customer', 'Changes what is given; the rest stays.', {
    needs: { customer_id: CUSTOMER_ID },
    may: CUSTOMER_DETAILS,
    output: CUSTOMER,
    request: (input) => post(at`/v1/customers/${input.customer_id}`, pick(input, ...DETAILS)),
  }),
  asks('list_customers', 'List customers', 'Customers, the newest first.', {
    may: { email: { ...EMAIL, description: 'Only those with this very address.' } },
    item: CUSTOMER,
    request: (input) => page('/v1/customers', ask(input, 'email')),
    pages: afterLast,
  }),
  asks('search_customers', 'Search customers', 'Customers that fit; new ones are found after about a minute.', {
    needs: {
      query: text('Query', 'In the language of the provider.', "metadata['order']:'4711'", {
        minLength: 1,
        maxLength: 2_000,
      }),
    },
    item: CUSTOMER,
    request: (input) => page('/v1/customers/search', ask(input, 'query')),
    pages: byMark,
  }),
];
