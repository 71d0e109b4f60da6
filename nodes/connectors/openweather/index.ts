import type { JsonObject } from '../../../lib/json';
import { queryKey } from '../auth';
import type { HttpAction } from '../contract';
import { outputList } from '../http/read';
import { choice, filledText, integer, list, number, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { queryFrom } from '../input';
import { defineConnector, readAction } from '../define';

const PLACE = {
  lat: number('Latitude in degrees.', 52.52, { minimum: -90, maximum: 90 }),
  lon: number('Longitude in degrees.', 13.4, { minimum: -180, maximum: 180 }),
};
const SHOWN = {
  units: choice(['standard', 'metric', 'imperial'], 'Kelvin (standard), Celsius (metric) or Fahrenheit (imperial).', {
    default: 'metric',
  }),
  lang: text('Language of descriptions.', 'de'),
};
const PLACES = outputOf({
  places: list(record('`name`, `country`, `lat` and `lon`.'), 'Places, best matches first.', [
    { name: 'Berlin', country: 'DE', lat: 52.52, lon: 13.4 },
  ]),
  count: integer('Number of items.', 1),
});

const weather = (path: string) => (input: JsonObject) => ({
  method: 'GET' as const,
  url: `/data/2.5/${path}`,
  query: { units: 'metric', ...queryFrom(input, 'lat', 'lon', 'units', 'lang') },
});

const actions: readonly HttpAction[] = [
  readAction('find_place', 'Finds the coordinates of a place by name.', {
    required: { q: filledText('Name, optionally with state and country, separated by commas.', 'Berlin,DE') },
    output: PLACES,
    call: 'GET /geo/1.0/direct',
    query: { limit: 5 },
    read: outputList('places'),
  }),
  readAction('name_place', 'Finds the places at given coordinates.', {
    required: PLACE,
    output: PLACES,
    call: 'GET /geo/1.0/reverse',
    query: { limit: 5 },
    read: outputList('places'),
  }),
  readAction('get_weather', 'Returns the current weather.', {
    required: PLACE,
    optional: SHOWN,
    output: outputOf({
      name: text('Name of the field.', 'Berlin'),
      main: record('Temperature, pressure and humidity.', { temp: 21.4, humidity: 56 }),
      weather: list(record('`main` and `description`.'), 'Weather conditions.', [
        { main: 'Clouds', description: 'few clouds' },
      ]),
    }),
    request: weather('weather'),
  }),
  readAction('get_forecast', 'Returns the forecast for five days in steps of three hours.', {
    required: PLACE,
    optional: SHOWN,
    output: outputOf({
      list: list(record('`dt_txt`, `main` and `weather`.'), 'Entries in order of time.', [
        { dt_txt: '2026-08-30 15:00:00', main: { temp: 21.4 } },
      ]),
    }),
    request: weather('forecast'),
  }),
  readAction('get_air_quality', 'Returns the current air quality.', {
    required: PLACE,
    output: outputOf({
      list: list(record('`main.aqi` from 1 (good) to 5, and `components`.'), 'One entry.', [
        { main: { aqi: 2 }, components: { pm2_5: 4.1 } },
      ]),
    }),
    call: 'GET /data/2.5/air_pollution',
  }),
];

export const openweather = defineConnector({
  name: 'openweather',
  title: 'OpenWeather',
  description: 'Get weather, forecasts and air quality.',
  category: 'Data',
  docs: 'https://openweathermap.org/api',

  fields: [
    secretField(
      'api_key',
      'API key',
      'Account > My API keys; new keys become active after a while.',
      '0123456789abcdef0123456789abcdef',
    ),
  ],
  base: 'https://api.openweathermap.org',
  sign: queryKey('appid', 'api_key'),
  connectionTest: { action: 'find_place', input: { q: 'Berlin,DE' } },
  actions,
});
