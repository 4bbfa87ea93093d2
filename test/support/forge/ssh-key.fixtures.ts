/** Keys made by ssh-keygen (OpenSSH 9.2) for these tests; the private halves are gone. */
export interface Fixture {
  readonly type: string
  readonly bits: number
  readonly line: string
  readonly sha256: string
  /** The same key as an RFC 4716 block, by `ssh-keygen -e`. */
  readonly ssh2: string
  /** The same key as PEM blocks, by `ssh-keygen -e -m` and `openssl`. */
  readonly pem: readonly string[]
}

/** Every accepted type once. */
export const ACCEPTED: readonly Fixture[] = [
  {
    type: 'ssh-ed25519',
    bits: 256,
    line: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFMia7Qt+5pQ5xBplLV+TbP9I53h6Y/SkNI9Vn4NNV3g alice@example.com',
    sha256: 'SHA256:rcll3jPS8/uvdwJYLm3/Vx+tMjJdTlPHNpuhB7PUz6I',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAC3NzaC1lZDI1NTE5AAAAIFMia7Qt+5pQ5xBplLV+TbP9I53h6Y/SkNI9Vn4NNV3g
---- END SSH2 PUBLIC KEY ----`,
    pem: [
      `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAUyJrtC37mlDnEGmUtX5Ns/0jneHpj9KQ0j1Wfg01XeA=
-----END PUBLIC KEY-----`,
    ],
  },
  {
    type: 'ecdsa-sha2-nistp256',
    bits: 256,
    line: 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBBIFLvzQjmh1epSZ3TgVabilZlhDaXydOqe80WCq+PJbeL1tfVqpvkdMchBIvmCw7+catDYjIFgpyv46tOt4oxU= alice@example.com',
    sha256: 'SHA256:dgJV6OBzpPtbpVM+C5Q1sLa5WMj6ChW2h2ba0z4LQ34',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBBIFLvzQjmh1epSZ3T
gVabilZlhDaXydOqe80WCq+PJbeL1tfVqpvkdMchBIvmCw7+catDYjIFgpyv46tOt4oxU=
---- END SSH2 PUBLIC KEY ----`,
    pem: [
      `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEgUu/NCOaHV6lJndOBVpuKVmWENp
fJ06p7zRYKr48lt4vW19Wqm+R0xyEEi+YLDv5xq0NiMgWCnK/jq063ijFQ==
-----END PUBLIC KEY-----`,
    ],
  },
  {
    type: 'ecdsa-sha2-nistp384',
    bits: 384,
    line: 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBA9V2+y/5eWgD8dICR0etqmV9O3DmXj78z3z8z24nalLhGLL+e2+mu1teCFJ49PvtuapaD4rFFaOvxUy7E5mQYOsAo4GVASdGO2Ekt06kv7oDo2ZGiu/sjt6M4wvdZzRpw== alice@example.com',
    sha256: 'SHA256:9rzFFqLowaPWJBYkQOA5jdB1+Pmhk/NwHg1HQ5DQS/Y',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBA9V2+y/5eWgD8dICR
0etqmV9O3DmXj78z3z8z24nalLhGLL+e2+mu1teCFJ49PvtuapaD4rFFaOvxUy7E5mQYOs
Ao4GVASdGO2Ekt06kv7oDo2ZGiu/sjt6M4wvdZzRpw==
---- END SSH2 PUBLIC KEY ----`,
    pem: [
      `-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAED1Xb7L/l5aAPx0gJHR62qZX07cOZePvz
PfPzPbidqUuEYsv57b6a7W14IUnj0++25qloPisUVo6/FTLsTmZBg6wCjgZUBJ0Y
7YSS3TqS/ugOjZkaK7+yO3ozjC91nNGn
-----END PUBLIC KEY-----`,
    ],
  },
  {
    type: 'ecdsa-sha2-nistp521',
    bits: 521,
    line: 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBADdYBSJ8g+WfoWBGUZSpAyXn5IxplbtyDsmJhtlekFyof/8ntu0a7evzKIihAp2BUH/klSuU5FLBjkG9xO3yQtUxwCKFkUHGupxkdTGnhEVI1HKoFug6Po3NtzAySYkVl7eBbEsfDAU9GhYNtk/vwpSeEo0GhaovKMsE6n0B68yaaaC1g== alice@example.com',
    sha256: 'SHA256:t4l3qaXJmvTCB1/1v0y20IRijfdNs10tHmX1gA0o2Qg',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBADdYBSJ8g+WfoWBGU
ZSpAyXn5IxplbtyDsmJhtlekFyof/8ntu0a7evzKIihAp2BUH/klSuU5FLBjkG9xO3yQtU
xwCKFkUHGupxkdTGnhEVI1HKoFug6Po3NtzAySYkVl7eBbEsfDAU9GhYNtk/vwpSeEo0Gh
aovKMsE6n0B68yaaaC1g==
---- END SSH2 PUBLIC KEY ----`,
    pem: [
      `-----BEGIN PUBLIC KEY-----
MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQA3WAUifIPln6FgRlGUqQMl5+SMaZW
7cg7JiYbZXpBcqH//J7btGu3r8yiIoQKdgVB/5JUrlORSwY5BvcTt8kLVMcAihZF
BxrqcZHUxp4RFSNRyqBboOj6NzbcwMkmJFZe3gWxLHwwFPRoWDbZP78KUnhKNBoW
qLyjLBOp9AevMmmmgtY=
-----END PUBLIC KEY-----`,
    ],
  },
  {
    type: 'ssh-rsa',
    bits: 3072,
    line: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDReIPZJ9DAvYGPxckm9bX108Zhx2R2VaBlMFmdm/M6RorAFVxv80fwgzfScNkNNpNztRtd0V88PmtIJ9IL5AXyotyhz+7XVG9QIvovrS2zhlEc+tNuknMdIDV3Dgph7v9BCOThf+hsWaPtdeq53Sx4hBUBMWCrU8hTGhfWjcMRMrcJ4smFDrUnuLqzK9xFiGx2U1QtDLc/UKKvMOm04iDfGc7WzPLjxHoCy1V6lTXy/Rn8VvDPhXGnWM4tPlQOrBbf6AKumhyiZkx77vsPZTIy5o1PI0ChHCb2s7VHlJdPjldumrJbW6oQWpVCWsHaMht9vIyziXItXY+auRAKPo7T7XP1TUWgJoE/ghhVZyfJVDzWedf81qsXp+oJ59/qOSa9Q5o9nEq5KrpMceDiorTuV0qKxVsS/ionjQEDvDFnRm5pLUVfeYCU4LXPTTH9gBgyk0ccWR7zjNhrU+9zPuCPWXreHkqghy9Li+zMK8eaDLs8v5nMw4Q0e4HV26mZPm0= alice@example.com',
    sha256: 'SHA256:4OC6Cybu3GPm8MlCbm/f/MWEUGtz3waoY/Pt/+ma568',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAB3NzaC1yc2EAAAADAQABAAABgQDReIPZJ9DAvYGPxckm9bX108Zhx2R2VaBlMFmdm/
M6RorAFVxv80fwgzfScNkNNpNztRtd0V88PmtIJ9IL5AXyotyhz+7XVG9QIvovrS2zhlEc
+tNuknMdIDV3Dgph7v9BCOThf+hsWaPtdeq53Sx4hBUBMWCrU8hTGhfWjcMRMrcJ4smFDr
UnuLqzK9xFiGx2U1QtDLc/UKKvMOm04iDfGc7WzPLjxHoCy1V6lTXy/Rn8VvDPhXGnWM4t
PlQOrBbf6AKumhyiZkx77vsPZTIy5o1PI0ChHCb2s7VHlJdPjldumrJbW6oQWpVCWsHaMh
t9vIyziXItXY+auRAKPo7T7XP1TUWgJoE/ghhVZyfJVDzWedf81qsXp+oJ59/qOSa9Q5o9
nEq5KrpMceDiorTuV0qKxVsS/ionjQEDvDFnRm5pLUVfeYCU4LXPTTH9gBgyk0ccWR7zjN
hrU+9zPuCPWXreHkqghy9Li+zMK8eaDLs8v5nMw4Q0e4HV26mZPm0=
---- END SSH2 PUBLIC KEY ----`,
    pem: [
      `-----BEGIN PUBLIC KEY-----
MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA0XiD2SfQwL2Bj8XJJvW1
9dPGYcdkdlWgZTBZnZvzOkaKwBVcb/NH8IM30nDZDTaTc7UbXdFfPD5rSCfSC+QF
8qLcoc/u11RvUCL6L60ts4ZRHPrTbpJzHSA1dw4KYe7/QQjk4X/obFmj7XXqud0s
eIQVATFgq1PIUxoX1o3DETK3CeLJhQ61J7i6syvcRYhsdlNULQy3P1CirzDptOIg
3xnO1szy48R6AstVepU18v0Z/Fbwz4Vxp1jOLT5UDqwW3+gCrpocomZMe+77D2Uy
MuaNTyNAoRwm9rO1R5SXT45XbpqyW1uqEFqVQlrB2jIbfbyMs4lyLV2PmrkQCj6O
0+1z9U1FoCaBP4IYVWcnyVQ81nnX/NarF6fqCeff6jkmvUOaPZxKuSq6THHg4qK0
7ldKisVbEv4qJ40BA7wxZ0ZuaS1FX3mAlOC1z00x/YAYMpNHHFke84zYa1Pvcz7g
j1l63h5KoIcvS4vszCvHmgy7PL+ZzMOENHuB1dupmT5tAgMBAAE=
-----END PUBLIC KEY-----`,
      `-----BEGIN RSA PUBLIC KEY-----
MIIBigKCAYEA0XiD2SfQwL2Bj8XJJvW19dPGYcdkdlWgZTBZnZvzOkaKwBVcb/NH
8IM30nDZDTaTc7UbXdFfPD5rSCfSC+QF8qLcoc/u11RvUCL6L60ts4ZRHPrTbpJz
HSA1dw4KYe7/QQjk4X/obFmj7XXqud0seIQVATFgq1PIUxoX1o3DETK3CeLJhQ61
J7i6syvcRYhsdlNULQy3P1CirzDptOIg3xnO1szy48R6AstVepU18v0Z/Fbwz4Vx
p1jOLT5UDqwW3+gCrpocomZMe+77D2UyMuaNTyNAoRwm9rO1R5SXT45XbpqyW1uq
EFqVQlrB2jIbfbyMs4lyLV2PmrkQCj6O0+1z9U1FoCaBP4IYVWcnyVQ81nnX/Nar
F6fqCeff6jkmvUOaPZxKuSq6THHg4qK07ldKisVbEv4qJ40BA7wxZ0ZuaS1FX3mA
lOC1z00x/YAYMpNHHFke84zYa1Pvcz7gj1l63h5KoIcvS4vszCvHmgy7PL+ZzMOE
NHuB1dupmT5tAgMBAAE=
-----END RSA PUBLIC KEY-----`,
    ],
  },
  {
    type: 'sk-ssh-ed25519@openssh.com',
    bits: 256,
    line: 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIFMia7Qt+5pQ5xBplLV+TbP9I53h6Y/SkNI9Vn4NNV3gAAAABHNzaDo= alice@example.com',
    sha256: 'SHA256:iJtkvrBIrOvmV20SOW1aSUEF8CY9ZwmCOqUu/HBeCpw',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIFMia7Qt+5pQ5xBplLV+TbP9I5
3h6Y/SkNI9Vn4NNV3gAAAABHNzaDo=
---- END SSH2 PUBLIC KEY ----`,
    pem: [],
  },
  {
    type: 'sk-ecdsa-sha2-nistp256@openssh.com',
    bits: 256,
    line: 'sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBBBIFLvzQjmh1epSZ3TgVabilZlhDaXydOqe80WCq+PJbeL1tfVqpvkdMchBIvmCw7+catDYjIFgpyv46tOt4oxUAAAAEc3NoOg== alice@example.com',
    sha256: 'SHA256:lNe2gddZbItF3Mfyk3cQUF28mHLTF+iyOYY0u3jktlQ',
    ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAA
BBBBIFLvzQjmh1epSZ3TgVabilZlhDaXydOqe80WCq+PJbeL1tfVqpvkdMchBIvmCw7+ca
tDYjIFgpyv46tOt4oxUAAAAEc3NoOg==
---- END SSH2 PUBLIC KEY ----`,
    pem: [],
  },
]

export const RSA_2048: Fixture = {
  type: 'ssh-rsa',
  bits: 2048,
  line: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCj/1/Bfmlw+jUU7g3GnLzuqjgQISLIsSMZgi6PL015dUL2lg+E62cRwvcMzuBpUDiOrkqFqdVHM+EfH4EjcDCpwJsVhBVgYnNpKrEqmAhn1/kKNAblaX4metOaXdtwW/6tuCdlVlTXLYOzS3GlZMkn8FkIVT5S9HET02zsw5fBHFxjsss6B3dKixeqVsv27AnCwgQuJeW/raW1PVjuPR087d/5XuIkusoG3LNu7BJCmj+KgJV0njp4Ad2BR5zSG74lmt4mtJWZ6h79rsnhF4JrG9AGlkuALw5T1vhjeCzRn6WSxuaJygZTdj0X0GctMKu8toBygvvLS5/1rtt6eH5N alice@example.com',
  sha256: 'SHA256:eWEiOQh9fR7eG1ImzDp8Ept5sqFtuolXScui0ICAxqw',
  ssh2: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "alice@example.com"
AAAAB3NzaC1yc2EAAAADAQABAAABAQCj/1/Bfmlw+jUU7g3GnLzuqjgQISLIsSMZgi6PL0
15dUL2lg+E62cRwvcMzuBpUDiOrkqFqdVHM+EfH4EjcDCpwJsVhBVgYnNpKrEqmAhn1/kK
NAblaX4metOaXdtwW/6tuCdlVlTXLYOzS3GlZMkn8FkIVT5S9HET02zsw5fBHFxjsss6B3
dKixeqVsv27AnCwgQuJeW/raW1PVjuPR087d/5XuIkusoG3LNu7BJCmj+KgJV0njp4Ad2B
R5zSG74lmt4mtJWZ6h79rsnhF4JrG9AGlkuALw5T1vhjeCzRn6WSxuaJygZTdj0X0GctMK
u8toBygvvLS5/1rtt6eH5N
---- END SSH2 PUBLIC KEY ----`,
  pem: [
    `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo/9fwX5pcPo1FO4Nxpy8
7qo4ECEiyLEjGYIujy9NeXVC9pYPhOtnEcL3DM7gaVA4jq5KhanVRzPhHx+BI3Aw
qcCbFYQVYGJzaSqxKpgIZ9f5CjQG5Wl+JnrTml3bcFv+rbgnZVZU1y2Ds0txpWTJ
J/BZCFU+UvRxE9Ns7MOXwRxcY7LLOgd3SosXqlbL9uwJwsIELiXlv62ltT1Y7j0d
PO3f+V7iJLrKBtyzbuwSQpo/ioCVdJ46eAHdgUec0hu+JZreJrSVmeoe/a7J4ReC
axvQBpZLgC8OU9b4Y3gs0Z+lksbmicoGU3Y9F9BnLTCrvLaAcoL7y0uf9a7benh+
TQIDAQAB
-----END PUBLIC KEY-----`,
    `-----BEGIN RSA PUBLIC KEY-----
MIIBCgKCAQEAo/9fwX5pcPo1FO4Nxpy87qo4ECEiyLEjGYIujy9NeXVC9pYPhOtn
EcL3DM7gaVA4jq5KhanVRzPhHx+BI3AwqcCbFYQVYGJzaSqxKpgIZ9f5CjQG5Wl+
JnrTml3bcFv+rbgnZVZU1y2Ds0txpWTJJ/BZCFU+UvRxE9Ns7MOXwRxcY7LLOgd3
SosXqlbL9uwJwsIELiXlv62ltT1Y7j0dPO3f+V7iJLrKBtyzbuwSQpo/ioCVdJ46
eAHdgUec0hu+JZreJrSVmeoe/a7J4ReCaxvQBpZLgC8OU9b4Y3gs0Z+lksbmicoG
U3Y9F9BnLTCrvLaAcoL7y0uf9a7benh+TQIDAQAB
-----END RSA PUBLIC KEY-----`,
  ],
}

export const DSA_LINE =
  'ssh-dss AAAAB3NzaC1kc3MAAACBAIjUXo36TJWnYgIQWqGuuNPBydTe6tD+eYpcw5nRXf36b94u7F+QzhVJWTBDDNY9IL+VfGRlpwTvKyfBKFwe3gS7sLn8FF2DG8gOvousPnfzKw9xTglyFdxeK6plHEDd63YGfFGzhqNDDqXGrkxdDIQS4nDpKuH3SWBu6E0gdv7zAAAAFQDa0lN8mTAL9ZvSfYJnsqY3MCsgWwAAAIB9nkeSnyaxHki0dgFFoDmnxMJenzkOL2ygJAI+fY0I6JdpKxstWOJ3acT2mNOL5iMVkMmQ8PRUT0gv1z+tU+zW6yNBM3nVcOKuF+3vMXiI83AB30VEOAWzKjCxnmc2aG1yQ6MUASPrd/yuLaiykbBLMYodq27SsIcwSt8U0CZz4QAAAIAOW9bnwHZ9aVx/aSmP+zW8xnZqIfPPdRsLhkhORdnr/9ckn1F7BxIMGIFn6iddg3RZib1Po+HT/zLuVk83JdgC36XvD74iMSFVptgbWeJfd4g3hqiZr4bhsnrkP6UqwuLIklpsAgyVn2u0zXkTCqys+oyBAF/+2hOEBKMDNNt4GQ== alice@example.com'

export const DSA_PEM = `-----BEGIN PUBLIC KEY-----
MIIBtjCCASsGByqGSM44BAEwggEeAoGBAIjUXo36TJWnYgIQWqGuuNPBydTe6tD+
eYpcw5nRXf36b94u7F+QzhVJWTBDDNY9IL+VfGRlpwTvKyfBKFwe3gS7sLn8FF2D
G8gOvousPnfzKw9xTglyFdxeK6plHEDd63YGfFGzhqNDDqXGrkxdDIQS4nDpKuH3
SWBu6E0gdv7zAhUA2tJTfJkwC/Wb0n2CZ7KmNzArIFsCgYB9nkeSnyaxHki0dgFF
oDmnxMJenzkOL2ygJAI+fY0I6JdpKxstWOJ3acT2mNOL5iMVkMmQ8PRUT0gv1z+t
U+zW6yNBM3nVcOKuF+3vMXiI83AB30VEOAWzKjCxnmc2aG1yQ6MUASPrd/yuLaiy
kbBLMYodq27SsIcwSt8U0CZz4QOBhAACgYAOW9bnwHZ9aVx/aSmP+zW8xnZqIfPP
dRsLhkhORdnr/9ckn1F7BxIMGIFn6iddg3RZib1Po+HT/zLuVk83JdgC36XvD74i
MSFVptgbWeJfd4g3hqiZr4bhsnrkP6UqwuLIklpsAgyVn2u0zXkTCqys+oyBAF/+
2hOEBKMDNNt4GQ==
-----END PUBLIC KEY-----`

export const CERTIFICATE_LINE =
  'ssh-rsa-cert-v01@openssh.com AAAAHHNzaC1yc2EtY2VydC12MDFAb3BlbnNzaC5jb20AAAAg5yBARdQJ72BryvveLs/Gv5rlWxuWVLdK7I7au6BRy9UAAAADAQABAAABgQDReIPZJ9DAvYGPxckm9bX108Zhx2R2VaBlMFmdm/M6RorAFVxv80fwgzfScNkNNpNztRtd0V88PmtIJ9IL5AXyotyhz+7XVG9QIvovrS2zhlEc+tNuknMdIDV3Dgph7v9BCOThf+hsWaPtdeq53Sx4hBUBMWCrU8hTGhfWjcMRMrcJ4smFDrUnuLqzK9xFiGx2U1QtDLc/UKKvMOm04iDfGc7WzPLjxHoCy1V6lTXy/Rn8VvDPhXGnWM4tPlQOrBbf6AKumhyiZkx77vsPZTIy5o1PI0ChHCb2s7VHlJdPjldumrJbW6oQWpVCWsHaMht9vIyziXItXY+auRAKPo7T7XP1TUWgJoE/ghhVZyfJVDzWedf81qsXp+oJ59/qOSa9Q5o9nEq5KrpMceDiorTuV0qKxVsS/ionjQEDvDFnRm5pLUVfeYCU4LXPTTH9gBgyk0ccWR7zjNhrU+9zPuCPWXreHkqghy9Li+zMK8eaDLs8v5nMw4Q0e4HV26mZPm0AAAAAAAAAAAAAAAEAAAACaWQAAAAJAAAABWFsaWNlAAAAAAAAAAD//////////wAAAAAAAACCAAAAFXBlcm1pdC1YMTEtZm9yd2FyZGluZwAAAAAAAAAXcGVybWl0LWFnZW50LWZvcndhcmRpbmcAAAAAAAAAFnBlcm1pdC1wb3J0LWZvcndhcmRpbmcAAAAAAAAACnBlcm1pdC1wdHkAAAAAAAAADnBlcm1pdC11c2VyLXJjAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIFMia7Qt+5pQ5xBplLV+TbP9I53h6Y/SkNI9Vn4NNV3gAAAAUwAAAAtzc2gtZWQyNTUxOQAAAEC14BmgG6B1+KtCdVanuBmjZYGNPy5dXnE5KxL/09/fdQQvmBtKR0AbT9VvmgxF+4JE9ytO+x4RP3jk7IPskcgM alice@example.com'
