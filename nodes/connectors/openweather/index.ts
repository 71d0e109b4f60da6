import type { JsonObject } from '../../../lib/json';
import { queryKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { outputList } from '../http/read';
import { choice, filledText, integer, list, number, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { queryFrom } from '../input';
import { defineConnector, readAction } from '../define';

const PLACE = {
  lat: number('In degrees, north of the equator.', 52.52, { minimum: -90, maximum: 90 }),
  lon: number('In degrees, east of Greenwich.', 13.4, { minimum: -180, maximum: 180 }),
};
const SHOWN = {
  units: choice(['standard', 'metric', 'imperial'], 'Kelvin, degrees Celsius or Fahrenheit.', {
    default: 'metric',
  }),
  lang: text('Of descriptions.', 'de'),
};
const PLACES = outputOf({
  places: list(record('With `name`, `country`, `lat` and `lon`.'), 'Best matches first.', [
    { name: 'Berlin', country: 'DE', lat: 52.52, lon: 13.4 },
  ]),
  count: integer('How many there are.', 1),
});

const weather = (path: string) => (input: JsonObject) => ({
  method: 'GET' as const,
  url: `/data/2.5/${path}`,
  query: { units: 'metric', ...queryFrom(input, 'lat', 'lon', 'units', 'lang') },
});

const actions: readonly HttpAction[] = [
  readAction('find_place', 'Where places of a name are.', {
    required: { q: filledText('With state and country, by commas.', 'Berlin,DE') },
    output: PLACES,
    call: 'GET /geo/1.0/direct',
    query: { limit: 5 },
    read: outputList('places'),
  }),
  readAction('name_place', 'What places there are at a point.', {
    required: PLACE,
    output: PLACES,
    call: 'GET /geo/1.0/reverse',
    query: { limit: 5 },
    read: outputList('places'),
  }),
  readAction('get_weather', 'The weather now.', {
    required: PLACE,
    optional: SHOWN,
    output: outputOf({
      name: text('Its name.', 'Berlin'),
      main: record('Temperature, pressure, humidity.', { temp: 21.4, humidity: 56 }),
      weather: list(record('With `main` and `description`.'), 'In words.', [
        { main: 'Clouds', description: 'few clouds' },
      ]),
    }),
    request: weather('weather'),
  }),
  readAction('get_forecast', 'The weather of five days, every three hours.', {
    required: PLACE,
    optional: SHOWN,
    output: outputOf({
      list: list(record('With `dt_txt`, `main` and `weather`.'), 'In the order of time.', [
        { dt_txt: '2026-08-30 15:00:00', main: { temp: 21.4 } },
      ]),
    }),
    request: weather('forecast'),
  }),
  readAction('get_air_quality', 'What is in the air now.', {
    required: PLACE,
    output: outputOf({
      list: list(record('With `main.aqi` from 1, good, to 5, and `components`.'), 'One entry.', [
        { main: { aqi: 2 }, components: { pm2_5: 4.1 } },
      ]),
    }),
    call: 'GET /data/2.5/air_pollution',
  }),
];

export const openweather = defineConnector({
  name: 'openweather',
  title: 'OpenWeather',
  description: 'Weather, forecasts and the quality of the air.',
  category: 'Data',
  docs: 'https://openweathermap.org/api',

  fields: [
    secretField(
      'api_key',
      'API key',
      'Your account, My API keys; new ones count after a while.',
      '0123456789abcdef0123456789abcdef',
    ),
  ],
  base: 'https://api.openweathermap.org',
  sign: queryKey('appid', 'api_key'),
  probe: { action: 'find_place', input: { q: 'Berlin,DE' } },
  actions,
});
