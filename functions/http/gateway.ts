// What API Gateway hands over and takes back: an HTTP API, payload format 2.0, as far as it matters here.

export interface GatewayEvent {
  readonly version: '2.0'
  readonly rawPath: string
  readonly rawQueryString: string
  /** Names in lower case; repeated headers come joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly requestContext: {
    readonly http: { readonly method: string; readonly sourceIp?: string }
    readonly requestId?: string
  }
  readonly body?: string
  readonly isBase64Encoded: boolean
}

export interface GatewayResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded?: boolean
}
