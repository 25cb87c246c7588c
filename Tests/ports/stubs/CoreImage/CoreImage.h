/* The declarations of Apple's frameworks that Bench/Peers/coreimage.mm uses, written from Apple's
 * documentation. With them, the compiler checks the types in that file on Linux. */
#ifndef BLUR_STUB_CORE_IMAGE_H
#define BLUR_STUB_CORE_IMAGE_H

#include <stddef.h>

typedef double CGFloat;
typedef struct { CGFloat width, height; } CGSize;
typedef struct { CGFloat x, y; } CGPoint;
typedef struct { CGPoint origin; CGSize size; } CGRect;
static inline CGSize CGSizeMake(CGFloat width, CGFloat height) { return CGSize{width, height}; }
static inline CGRect CGRectMake(CGFloat x, CGFloat y, CGFloat width, CGFloat height) {
  return CGRect{{x, y}, {width, height}};
}
typedef struct CGColorSpace *CGColorSpaceRef;
typedef int CIFormat;
typedef signed char BOOL;
#define YES __objc_yes
#define NO __objc_no

__attribute__((objc_root_class))
@interface NSObject
- (void)setValue:(id)value forKey:(id)key;
@end
@interface NSString : NSObject
@end
@interface NSConstantString : NSString
@end
@interface NSNull : NSObject
+ (NSNull *)null;
@end
@protocol NSCopying
@end
@interface NSNumber : NSObject <NSCopying>
+ (NSNumber *)numberWithBool:(BOOL)value;
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithDouble:(double)value;
@end
@interface NSDictionary : NSObject
+ (instancetype)dictionaryWithObjects:(const id[])objects forKeys:(const id[])keys count:(unsigned long)count;
@end
@interface NSData : NSObject
+ (instancetype)dataWithBytesNoCopy:(void *)bytes length:(unsigned long)length freeWhenDone:(BOOL)freed;
@end

extern NSString *const kCIContextUseSoftwareRenderer, *const kCIContextWorkingColorSpace;
extern NSString *const kCIContextOutputColorSpace, *const kCIContextWorkingFormat;
extern NSString *const kCIContextCacheIntermediates;
extern NSString *const kCIInputImageKey, *const kCIInputRadiusKey;
extern CIFormat kCIFormatR8, kCIFormatR16, kCIFormatRf, kCIFormatRGBA8, kCIFormatRGBA16, kCIFormatRGBAf;

@interface CIImage : NSObject
+ (CIImage *)imageWithBitmapData:(NSData *)data
                     bytesPerRow:(size_t)bytes
                            size:(CGSize)size
                          format:(CIFormat)format
                      colorSpace:(CGColorSpaceRef)space;
- (CIImage *)imageByClampingToExtent;
@end
@interface CIFilter : NSObject
+ (CIFilter *)filterWithName:(NSString *)name;
@property(readonly) CIImage *outputImage;
@end
@interface CIContext : NSObject
+ (CIContext *)contextWithOptions:(NSDictionary *)options;
- (void)render:(CIImage *)image
      toBitmap:(void *)data
      rowBytes:(ptrdiff_t)bytes
        bounds:(CGRect)bounds
        format:(CIFormat)format
    colorSpace:(CGColorSpaceRef)space;
@end

#endif
