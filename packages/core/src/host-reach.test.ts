import { describe, expect, test } from "vitest"
import { hostReach, type HostReach, isLoopbackUrl } from "./host-reach.ts"

const REACH: Record<HostReach, string> = {
  loopback: `127.0.0.1 127.8.8.8 127.255.255.254 127.1 0x7f.1 2130706433 ::1 0:0:0:0:0:0:0:1 [::1] ::ffff:127.0.0.1
    ::ffff:7f00:1 localhost LOCALHOST.`,
  link: `0.0.0.0 0.1.2.3 :: 169.254.0.1 169.254.169.254 fe80::1 fe80::1%eth0 febf::1 ::ffff:169.254.169.254
    64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: 100.100.100.200 fd00:ec2::254 ::ffff:100.100.100.200 a.localhost
    ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 ::ffff:0:127.0.0.1 2002:7f00:1:: metadata.google.internal instance-data`,
  private: `10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.254 192.0.0.8 192.0.2.7 192.88.99.1
    198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 192.52.193.1
    ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::808:808 64:ff9b::a00:1 64:ff9b:1::808:808 100::1 2001::1 2001:2::1
    2001:10::1 2001:20::1 2001:db8::1 2002:808:808:: 2002:a00:1:: 3fff::1 4000::1 5f00::1 fc00::1 fd12::1 fec0::1 ff02::1`,
  public: `8.8.8.8 1.1.1.1 9.255.255.255 11.0.0.0 100.63.0.1 100.128.0.1 128.0.0.1 169.253.1.1 169.255.0.1 172.15.0.1
    172.32.0.1 191.255.255.255 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2a00:1450:4001::5 2001:4860::8888`,
  named: `example.com localhost.example.com 127.evil.example 127.0.0.1.evil.example 10.0.0.1.nip.io metadata.example`,
}

const CASES = Object.entries(REACH).flatMap(([reach, hosts]) =>
  hosts.split(/\s+/).map((host) => [host, reach] as const),
)

describe("a host", () => {
  test.each(CASES)("%s is %s", (host, reach) => {
    expect(hostReach(host)).toBe(reach)
  })

  test("that is none is no address", () => {
    expect(["", " ", "[]", "::1::", "256.1.1.1"].map(hostReach)).toEqual(Array(5).fill("named"))
  })

  test.each(["2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "localhost"])(
    "in a URL is loopback as %s",
    (host) => {
      expect(isLoopbackUrl(`http://${host}:80/x`)).toBe(true)
    },
  )

  test.each(["http://10.0.0.1", "http://a.localhost", "http://127.0.0.1.example", "localhost", ""])(
    "in %j is not loopback",
    (url) => {
      expect(isLoopbackUrl(url)).toBe(false)
    },
  )
})
