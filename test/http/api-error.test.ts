import { describe, expect, it } from 'vitest';

import { apiErrorFromResponse, apiErrorFromStatus } from '../../src/cluster/http/api-error.js';
import { ManualClock } from '../support/manual-clock.js';

const what = 'GET /api/v1/pods';

describe('apiErrorFromStatus', () => {
  it.each([
    [400, 'http_status'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [410, 'http_status'],
    [429, 'http_status'],
    [503, 'http_status'],
  ])('the status %d has the reason %s', (status, reason) => {
    expect(apiErrorFromStatus({ what, status, body: undefined })).toMatchObject({ status, reason });
  });

  it.each([
    ['text/plain; charset=utf-8', 'Internal Error: x\n', /answered 500: Internal Error: x$/],
    ['text/html', '<p>Sorry</p>', /answered 500$/],
    ['application/json', '{"message":"m"}', /answered 500: m$/],
  ])('an error quotes what is %s', (type, text, expected) => {
    const response = { what, status: 500, headers: { 'content-type': type }, text };
    expect(apiErrorFromResponse(response, new ManualClock()).message).toMatch(expected);
  });

  it.each([
    ['at the cluster scope', 'its ClusterRole'],
    ['in the namespace "shop"', 'its Role in namespace "shop" or its ClusterRole'],
  ])('an error names the missing RBAC rule %s', (place, role) => {
    const body = {
      kind: 'Status',
      message: `pods is forbidden: User "ci" cannot list resource "pods" in API group "" ${place}`,
      reason: 'Forbidden',
    };
    expect(apiErrorFromStatus({ what, status: 403, body }).message).toContain(
      `; grant it with the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]} in ${role}`,
    );
  });

  it('an error reports that a rule is missing when it cannot derive which one', () => {
    expect(apiErrorFromStatus({ what, status: 403, body: { message: 'no' } }).message).toMatch(
      /no; no RBAC rule allows it$/,
    );
  });

  it.each([
    [414, 'the URL is too long for it or a proxy in front of it: shorten the selectors of the settings'],
    [
      431,
      'the headers are too long for it or a proxy in front of it: use a shorter token, or impersonate fewer groups',
    ],
  ])('%d is a request that is too long, with the fix', (status, hint) => {
    const error = apiErrorFromStatus({ what, status, body: undefined });
    expect([error.isTooLongRequest, error.message]).toEqual([
      true,
      `GET /api/v1/pods: the API server answered ${status}; ${hint}`,
    ]);
  });

  it.each([
    [{ status: 410, body: undefined }, true],
    [{ status: 410, body: { reason: 'Expired' } }, true],
    [{ status: 500, body: { reason: 'Expired' } }, true],
    [{ status: 500, body: { reason: 'InternalError' } }, false],
  ])('%j is expired: %s', (answer, isExpired) => {
    expect(apiErrorFromStatus({ what, ...answer }).isExpired).toBe(isExpired);
  });

  it.each([
    [{ status: 400, body: undefined }, true],
    [{ status: 422, body: undefined }, true],
    [
      { status: 500, body: { message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: invalid syntax' } },
      true,
    ],
    [{ status: 500, body: undefined }, false],
    [{ status: 403, body: undefined }, false],
  ])('%j is an invalid request: %s', (answer, isInvalidRequest) => {
    expect(apiErrorFromStatus({ what, ...answer }).isInvalidRequest).toBe(isInvalidRequest);
  });

  it('an error shows that the server has not reached a resource version', () => {
    const body = {
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'x' }], retryAfterSeconds: 1 },
    };
    const error = apiErrorFromStatus({ what, status: 504, body });
    expect(error).toMatchObject({ isResourceVersionTooLarge: true, retryAfterMs: 1000 });
    const older = { message: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } };
    expect(apiErrorFromStatus({ what, status: 504, body: older }).isResourceVersionTooLarge).toBe(true);
    const old = { message: 'Timeout: Too large resource version: 9, current: 5' };
    expect(apiErrorFromStatus({ what, status: 504, body: old }).isResourceVersionTooLarge).toBe(true);
    expect(apiErrorFromStatus({ what, status: 504, body: {} }).isResourceVersionTooLarge).toBe(false);
  });

  const now = 'Wed, 01 Jan 2020 00:00:00 GMT';
  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '100000' }, 60_000],
    [{ 'retry-after': '0' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Wed, 01 Jan 2020 00:00:05 GMT', date: now }, 5000],
    [{ 'retry-after': 'Tue, 31 Dec 2019 23:59:55 GMT', date: now }, undefined],
  ])('a response with %j, by the clock of the server, has a delay of %s ms', (headers, retryAfterMs) => {
    const response = { what, status: 429, headers, text: '{}' };
    expect(apiErrorFromResponse(response, new ManualClock())).toMatchObject({ retryAfterMs, status: 429 });
  });

  it.each([
    [{ retryAfterSeconds: 3 }, undefined, 3000],
    [{ retryAfterSeconds: 3 }, 5000, 5000],
    [{ retryAfterSeconds: 86_400 }, undefined, 60_000],
    [{ retryAfterSeconds: 0 }, undefined, undefined],
    [{ retryAfterSeconds: -1 }, undefined, undefined],
    [{ retryAfterSeconds: '3' }, undefined, undefined],
  ])('an error with %j and the header %s has a delay of %s ms', (details, retryAfterMs, expected) => {
    expect(apiErrorFromStatus({ what, status: 429, body: { details }, retryAfterMs }).retryAfterMs).toBe(expected);
  });

  it.each([
    null,
    7,
    'text',
    [],
    { details: null },
    { details: { causes: {} } },
    { details: { causes: [null, 1, {}] } },
    { message: 5, reason: {} },
  ])('an error accepts the body %j', (body) => {
    expect(apiErrorFromStatus({ what, status: 500, body })).toMatchObject({
      message: 'GET /api/v1/pods: the API server answered 500',
      isExpired: false,
      isResourceVersionTooLarge: false,
      retryAfterMs: undefined,
    });
  });
});
