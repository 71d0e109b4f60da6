import { basic } from '../auth';
import type { Connector } from '../contract';
import { hidden, shown, site } from '../define';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const wordpress: Connector = {
  name: 'wordpress',
  title: 'WordPress',
  description: 'Posts, categories and comments of a site.',
  category: 'content',
  docs: 'https://developer.wordpress.org/rest-api/reference/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of the site.', 'https://blog.example.com'),
      shown('username', 'User name', 'Of an account of the site.', 'ada'),
      hidden(
        'application_password',
        'Application password',
        'Users, Profile, Application passwords.',
        'abcd EFGH 1234 ijkl MNOP 5678',
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/wp-json/wp/v2`,
  sign: basic('username', 'application_password'),
  fault: worded({ code: codeAt('code') }),
  probe: { action: 'get_me', input: {} },
  actions,
};
