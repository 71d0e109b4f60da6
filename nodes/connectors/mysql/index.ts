import { sqlConnector } from '../sql/connector';

export const mysql = sqlConnector({
  name: 'mysql',
  title: 'MySQL',
  docs: 'https://dev.mysql.com/doc/refman/8.4/en/sql-statements.html',
  port: 3_306,
  select: 'select id, total from orders where customer = ?',
  update: 'update orders set paid = true where id = ?',
  parameters: '?',
});
