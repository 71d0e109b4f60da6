import { basic } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const woocommerce: Connector = {
  name: 'woocommerce',
  title: 'WooCommerce',
  description: 'Orders, products and customers of a shop.',
  category: 'commerce',
  docs: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',
  auth: {
    required: true,
    fields: [
      site(
        'url',
        'Address',
        'Of the WordPress that the shop runs on. Only with https do keys go in a header.',
        'https://shop.example.com',
      ),
      hidden('consumer_key', 'Consumer key', 'WooCommerce, Settings, Advanced, REST API.', 'ck_0123456789abcdef'),
      hidden('consumer_secret', 'Consumer secret', 'What is shown beside the key.', 'cs_0123456789abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/wp-json/wc/v3`,
  sign: basic('consumer_key', 'consumer_secret'),
  fault: worded({ code: codeAt('code') }),
  probe: { action: 'list_orders', input: { limit: 1 } },
  actions,
};
