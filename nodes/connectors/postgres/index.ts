import { sqlConnector } from '../sql/connector';

export const postgres = sqlConnector({
  name: 'postgres',
  title: 'PostgreSQL',
  docs: 'https://www.postgresql.org/docs/current/sql.html',
  port: 5_432,
  select: 'select id, total from orders where customer = $1',
  update: 'update orders set paid = true where id = $1',
  parameters: '$1, $2',
});
