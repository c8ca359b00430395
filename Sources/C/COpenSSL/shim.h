#ifndef LIVESESSIONS_COPENSSL_H
#define LIVESESSIONS_COPENSSL_H

/* SHA-1's own functions work on a state of the caller's; through EVP each HMAC would allocate twice. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/ts.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Macros and function-like variadics that Swift cannot import. */

/* Returns the oldest error code of the thread's queue, and empties the queue. */
static inline unsigned long ls_take_error(void) {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  return code;
}

/* OpenSSL's or the system's own message for an error code, without anything secret; valid until the thread's next call. */
static inline const char *ls_error_text(unsigned long code) {
  static _Thread_local char unnamed[32];
  if (code == 0) return "no detail";
  /* The system's own errors are packed as a flag and errno, and have no message in OpenSSL. */
  if (ERR_SYSTEM_ERROR(code)) return strerror((int)ERR_GET_REASON(code));
  const char *reason = ERR_reason_error_string(code);
  if (reason) return reason;
  snprintf(unnamed, sizeof unnamed, "error %lu", code);
  return unnamed;
}

static inline EVP_PKEY *ls_make_p256_key(void) { return EVP_EC_gen("P-256"); }

/* A key of P-256 from its parts, NULL where they are no key: OpenSSL refuses points that are not on the curve, for a public key
   alone (`number` NULL) as for a pair. */
static inline EVP_PKEY *ls_p256_key_of(const unsigned char *point, size_t point_size, const BIGNUM *number) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parts = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  int made = builder && context && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
             OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, point_size) &&
             (!number || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number)) &&
             (parts = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1;
  if (made) EVP_PKEY_fromdata(context, &key, number ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parts);
  OSSL_PARAM_free(parts);
  OSSL_PARAM_BLD_free(builder);
  EVP_PKEY_CTX_free(context);
  return key;
}

/* A pair of P-256 from the 32 octets of its private number; NULL where that is none. */
static inline EVP_PKEY *ls_p256_pair_of(const unsigned char *octets) {
  EVP_PKEY *key = NULL;
  unsigned char point[65];
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *product = group ? EC_POINT_new(group) : NULL;
  BIGNUM *number = BN_secure_new();
  if (product && number && BN_bin2bn(octets, 32, number) && !BN_is_zero(number) &&
      BN_cmp(number, EC_GROUP_get0_order(group)) < 0 && EC_POINT_mul(group, product, number, NULL, NULL, NULL) &&
      EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, sizeof point, NULL) == sizeof point)
    key = ls_p256_key_of(point, sizeof point, number);
  BN_clear_free(number);
  EC_POINT_free(product);
  EC_GROUP_free(group);
  return key;
}

/* Writes the 32 octets of a private number; returns whether the key has one. */
static inline int ls_p256_private_octets(EVP_PKEY *key, unsigned char *octets) {
  BIGNUM *number = NULL;
  int is_written = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 &&
                   BN_bn2binpad(number, octets, 32) == 32;
  BN_clear_free(number);
  return is_written;
}

/* Writes the 65 octets of a public point, uncompressed. */
static inline int ls_p256_public_octets(EVP_PKEY *key, unsigned char *octets) {
  size_t size = 0;
  return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, octets, 65, &size) == 1 && size == 65 &&
         octets[0] == 4;
}

/* The two numbers of an ECDSA signature in DER, 32 octets each, as JWS has them (RFC 7518 section 3.4). */
static inline int ls_p256_raw_signature(const unsigned char *der, size_t size, unsigned char *raw) {
  ECDSA_SIG *signature = size <= LONG_MAX ? d2i_ECDSA_SIG(NULL, &der, (long)size) : NULL;
  int is_written = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32 &&
                   BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32;
  ECDSA_SIG_free(signature);
  return is_written;
}

static inline int ls_gcm_get_tag(EVP_CIPHER_CTX *context, unsigned char *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

static inline int ls_gcm_set_tag(EVP_CIPHER_CTX *context, const unsigned char *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag);
}

static inline EVP_PKEY *ls_make_ed25519_key(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline int ls_ctx_set_dtls12_only(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, DTLS1_2_VERSION) && SSL_CTX_set_max_proto_version(ctx, DTLS1_2_VERSION);
}

static inline int ls_ctx_set_groups(SSL_CTX *ctx, const char *groups) { return (int)SSL_CTX_set1_groups_list(ctx, groups); }

static inline void ls_ctx_disable_sessions(SSL_CTX *ctx) { SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF); }

static inline uint64_t ls_association_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION;
}

static inline void ls_set_mtu(SSL *ssl, long mtu) { SSL_set_mtu(ssl, mtu); }

static inline BIO *ls_make_memory_bio(void) {
  BIO *bio = BIO_new(BIO_s_mem());
  /* An empty BIO means "come again", not the end of the stream. */
  if (bio) BIO_set_mem_eof_return(bio, -1);
  return bio;
}

/* Holds a copy, for what Swift hands to a call is there until the call returns, and BIO_new_mem_buf(3) would keep the pointer.
   The copy is overwritten when the BIO is freed. */
static inline BIO *ls_make_memory_bio_of(const void *bytes, size_t count) {
  BIO *bio = count <= INT_MAX ? BIO_new(BIO_s_mem()) : NULL;
  if (bio) BIO_set_mem_eof_return(bio, 0);
  if (bio && count > 0 && BIO_write(bio, bytes, (int)count) != (int)count) {
    BIO_free(bio);
    return NULL;
  }
  return bio;
}

static inline long ls_bio_pending(BIO *bio) { return (long)BIO_ctrl_pending(bio); }

static inline void ls_bio_reset(BIO *bio) { (void)BIO_reset(bio); }

static inline long ls_bio_memory(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

/* The certificate is judged by its fingerprint after the handshake, not by a chain of issuers (RFC 8827 §6.5). */
static inline int ls_accept_any_certificate(int preverified, X509_STORE_CTX *store) {
  (void)preverified;
  (void)store;
  return 1;
}

static inline void ls_ctx_request_peer_certificate(SSL_CTX *ctx) {
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, ls_accept_any_certificate);
}

/* `timeout` points to the microseconds after which OpenSSL itself may resend; it outlives the SSL. */
static inline unsigned int ls_dtls_timeout(SSL *ssl, unsigned int previous) {
  (void)previous;
  return *(const unsigned int *)SSL_get_app_data(ssl);
}

static inline void ls_set_dtls_timeout_source(SSL *ssl, unsigned int *timeout) {
  SSL_set_app_data(ssl, (void *)timeout);
  DTLS_set_timer_cb(ssl, ls_dtls_timeout);
}

static inline int ls_handle_timeout(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }

/* For clients of TLS: 1.2 or later, buffers given back when they are empty, no waiting for a peer that just hangs up. */
static inline int ls_ctx_configure_tls_client(SSL_CTX *ctx) {
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
  return (int)SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
}

/* Where a client names protocols, http/1.1 has to be among them (RFC 7301). */
static inline int ls_select_http1(SSL *ssl, const unsigned char **selected, unsigned char *length,
                                  const unsigned char *offered, unsigned int count, void *argument) {
  static const unsigned char http1[] = "\x08http/1.1";
  (void)ssl;
  (void)argument;
  int found = SSL_select_next_proto((unsigned char **)selected, length, http1, sizeof http1 - 1, offered, count);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* For servers of HTTP over TLS: 1.2 or later with forward secrecy, sessions in tickets alone, buffers given back. */
static inline int ls_ctx_configure_tls_server(SSL_CTX *ctx) {
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(ctx, ls_select_http1, NULL);
  return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) &&
         SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20");
}

/* Seconds since 1970, or -1 if it is no time. */
static inline int64_t ls_seconds_of(const ASN1_TIME *text) {
  struct tm time;
  return ASN1_TIME_to_tm(text, &time) ? (int64_t)timegm(&time) : -1;
}

/* OPENSSL_free is a macro. */
static inline void ls_free(void *memory) { OPENSSL_free(memory); }

static inline int ls_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline int ls_set_serial_number(X509 *certificate, long number) {
  return ASN1_INTEGER_set(X509_get_serialNumber(certificate), number);
}

/* A request for a time stamp of a SHA-256 digest (RFC 3161 §2.4.1) that asks for the authority's certificate; NULL on failure. */
static inline TS_REQ *ls_make_time_stamp_request(const unsigned char *digest, uint64_t nonce, int has_nonce) {
  TS_REQ *request = TS_REQ_new();
  TS_MSG_IMPRINT *imprint = TS_MSG_IMPRINT_new();
  X509_ALGOR *algorithm = X509_ALGOR_new();
  ASN1_INTEGER *number = ASN1_INTEGER_new();
  int made = request && imprint && algorithm && number && TS_REQ_set_version(request, 1) &&
             X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_sha256), V_ASN1_NULL, NULL) &&
             TS_MSG_IMPRINT_set_algo(imprint, algorithm) &&
             TS_MSG_IMPRINT_set_msg(imprint, (unsigned char *)digest, SHA256_DIGEST_LENGTH) &&
             TS_REQ_set_msg_imprint(request, imprint) && TS_REQ_set_cert_req(request, 1) &&
             (!has_nonce || (ASN1_INTEGER_set_uint64(number, nonce) && TS_REQ_set_nonce(request, number)));
  ASN1_INTEGER_free(number);
  X509_ALGOR_free(algorithm);
  TS_MSG_IMPRINT_free(imprint);
  if (made) return request;
  TS_REQ_free(request);
  return NULL;
}

/* Seconds since 1970 of a response's token, or -1 if it has none. */
static inline int64_t ls_time_stamp_time(TS_RESP *response) {
  TS_TST_INFO *info = TS_RESP_get_tst_info(response);
  struct tm time;
  if (!info || !ASN1_TIME_to_tm(TS_TST_INFO_get_time(info), &time)) return -1;
  return (int64_t)timegm(&time);
}

/* Whether a response answers a request and, with a store of trusted certificates, is signed by a time-stamping authority that
   leads to one of them, at its time. Takes neither. */
static inline int ls_verify_time_stamp(TS_RESP *response, TS_REQ *request, X509_STORE *store) {
  TS_VERIFY_CTX *context = TS_REQ_to_TS_VERIFY_CTX(request, NULL);
  int status;
  if (!context) return 0;
  if (store) {
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), (time_t)ls_time_stamp_time(response));
    TS_VERIFY_CTX_add_flags(context, TS_VFY_SIGNATURE);
    X509_STORE_up_ref(store);
    TS_VERIFY_CTX_set_store(context, store);
  }
  status = TS_RESP_verify_response(context, response);
  TS_VERIFY_CTX_free(context);
  return status == 1;
}

#endif
